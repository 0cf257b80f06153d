"""No decision that led to an execution is lost when the writer is killed."""

from __future__ import annotations

import multiprocessing
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from stringd_approval.audit.log_line import parse_line
from stringd_approval.audit.log_reader import read_log
from stringd_approval.audit.verification import verify
from tests.approval.audit_writer import write
from tests.approval.daemons import ALLOW_ALL, connect, request, write_policy
from tests.approval.requests import line

FEW, MANY = 12, 1000
LONGEST = 0.03
ROTATED_AT = 40_000
# Processes that are forked from one that has imported everything.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([write.__module__])


def kill_at_random(folder: Path, chance: random.Random) -> None:
    """Start a writer, and kill it at a random moment after it has begun."""
    ready, writing = PROCESSES.Pipe(duplex=False)
    writer = PROCESSES.Process(target=write, args=(folder, chance.randint(1, 8), ROTATED_AT, writing))
    writer.start()
    assert ready.poll(30)
    time.sleep(chance.uniform(0, LONGEST))
    writer.kill()
    writer.join(30)
    assert writer.exitcode == -signal.SIGKILL


def ids(folder: Path, kind: str) -> set[str]:
    """Return the ids of all entries of a kind; incomplete lines are none."""
    found = set()
    for it in read_log(folder):
        entry = parse_line(it.data)
        if entry and entry.kind == kind:
            found.add(entry.fields["id"])
    return found


def assert_nothing_is_lost(folder: Path, times: int) -> None:
    chance = random.Random(20261119)
    for _ in range(times):
        kill_at_random(folder, chance)
    ran = set((folder / "ran").read_text(encoding="utf-8").split())
    assert ran, "no writer lived long enough to run anything"
    assert ran - ids(folder, "start") == set()
    assert ran - ids(folder, "decision") == set()
    result = verify(read_log(folder))
    assert result.fault is None, result.fault.text
    assert len(list(folder.glob("audit.*.jsonl"))) > 0


@pytest.mark.requirement("approval.audit.killed")
def test_kills_at_random_moments_lose_no_decision(tmp_path: Path) -> None:
    assert_nothing_is_lost(tmp_path, FEW)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.requirement("approval.audit.killed")
def test_a_thousand_kills_lose_no_decision(tmp_path: Path) -> None:
    assert_nothing_is_lost(tmp_path, MANY)


@pytest.mark.requirement("approval.audit.killed")
def test_kills_of_the_daemon_lose_no_decision(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    chance = random.Random(20261119)
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
