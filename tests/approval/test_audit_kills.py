"""No decision that led to an execution is lost when the writer is killed."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from stringd_approval.audit.log_line import parse_line
from stringd_approval.audit.log_reader import read_log
from stringd_approval.audit.verification import verify
from tests.approval.audit_writer import LONGEST, kill_writers
from tests.approval.daemons import ALLOW_ALL, connect, request, write_policy
from tests.approval.requests import line

FEW, MANY = 12, 1000
SEED = 20261119
LOGS = 4
# Each log has a process of its own, which has imported everything and forks the writers.
PROCESSES = multiprocessing.get_context("spawn")


def kill_writers_of(folders: list[Path], times: int) -> None:
    """Kill writers of several logs at random moments, in parallel."""
    killers = [
        PROCESSES.Process(target=kill_writers, args=(folder, times, SEED + number))
        for number, folder in enumerate(folders)
    ]
    for it in killers:
        it.start()
    for it in killers:
        it.join()
        assert it.exitcode == 0


def ids(folder: Path, kind: str) -> set[str]:
    """Return the ids of all entries of a kind; incomplete lines are none."""
    found = set()
    for it in read_log(folder):
        entry = parse_line(it.data)
        if entry and entry.kind == kind:
            found.add(entry.fields["id"])
    return found


def assert_nothing_is_lost(folder: Path) -> None:
    ran = set((folder / "ran").read_text(encoding="utf-8").split())
    assert ran, "no writer lived long enough to run anything"
    assert ran - ids(folder, "start") == set()
    assert ran - ids(folder, "decision") == set()
    result = verify(read_log(folder))
    assert result.fault is None, result.fault.text
    assert len(list(folder.glob("audit.*.jsonl"))) > 0


@pytest.mark.long
@pytest.mark.requirement("approval.audit.killed")
def test_kills_at_random_moments_lose_no_decision(tmp_path: Path) -> None:
    kill_writers_of([tmp_path], FEW)
    assert_nothing_is_lost(tmp_path)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.requirement("approval.audit.killed")
def test_a_thousand_kills_lose_no_decision(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(LOGS)]
    for it in folders:
        it.mkdir(mode=0o700)
    kill_writers_of(folders, MANY // LOGS)
    for it in folders:
        assert_nothing_is_lost(it)


@pytest.mark.requirement("approval.audit.killed")
def test_kills_of_the_daemon_lose_no_decision(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    write_policy(tmp_path / "data", ALLOW_ALL)
    ran = tmp_path / "ran"
    daemon = start_daemon(data_dir=tmp_path / "data")
    for number in range(FEW // 4):
        ids_of_round = [f"{number}-{it}" for it in range(20)]
        clients = [connect(daemon) for _ in ids_of_round]
        for name, client in zip(ids_of_round, clients, strict=True):
            client.sendall(line(["sh", "-c", f"echo {name} >> {ran}"], id=name, privileged=False))
        clients[0].recv(1)
        time.sleep(chance.uniform(0, LONGEST))
        daemon.kill()
        for client in clients:
            client.close()
        daemon.start()
    request(daemon, ["true"])
    done = set(ran.read_text(encoding="utf-8").split())
    assert done
    assert done - ids(daemon.data_dir, "start") == set()
    assert done - ids(daemon.data_dir, "verdict") == set()
    result = verify(read_log(daemon.data_dir))
    assert result.fault is None, result.fault.text
