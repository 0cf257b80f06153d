"""Sessions that end while something is running, at the worst moments."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """A separate daemon, which tests stop or inspect."""
    return own_daemon


def children_of(pid: int) -> set[int]:
    """The processes that a process has started and that still run."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            stat = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            if int(stat[1]) == pid and stat[0] != "Z":
                found.add(int(folder.name))
    return found


def test_session_deleted_at_command_start_kills_the_program(daemon: DaemonProcess) -> None:
    """No process continues, at whatever point the command was."""
    for number in range(60):
        topic = f"file:t{number}"
        codes: list[str | None] = []

        def run(topic: str = topic, codes: list[str | None] = codes) -> None:
            with contextlib.suppress(AssertionError):
                codes.append(daemon.exec("/exec sleep 20", topic).head["code"])

        client = threading.Thread(target=run)
        client.start()
        while not daemon.request("DELETE", f"/sessions/default/{topic}").json()["deleted"]:
            pass
        client.join(10)
        assert codes in ([], ["SESSION_CLOSED"])
    assert eventually(lambda: not children_of(daemon.process.pid))


def test_recreated_session_waits_for_the_old_one_to_end(probed: DaemonProcess) -> None:
    answers: list[str] = []
    client = threading.Thread(target=lambda: answers.append(probed.exec("/stubborn 0.8").content))
    client.start()
    assert eventually(lambda: executing(probed))
    deleting = threading.Thread(target=probed.request, args=("DELETE", "/sessions/default/main"))
    deleting.start()
    assert eventually(lambda: not probed.request("GET", "/sessions").json()["sessions"])
    probed.exec("/record second")
    client.join(10)
    deleting.join(10)
    assert (probed.home / "record.txt").read_text(encoding="utf-8") == "stubborn\nsecond\n"


def test_cancelled_command_may_clean_up_at_shutdown(probed: DaemonProcess) -> None:
    answers: list[str | None] = []
    client = threading.Thread(target=lambda: answers.append(probed.exec("/tidy 0.9").head["code"]))
    client.start()
    assert eventually(lambda: executing(probed))
    assert probed.stop() == 0
    client.join(10)
    assert answers == ["SHUTTING_DOWN"]
    assert (probed.home / "record.txt").read_text(encoding="utf-8") == "tidied\n"


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_every_termination_signal_ends_running_programs(
    daemon: DaemonProcess, number: signal.Signals
) -> None:
    client = threading.Thread(target=lambda: daemon.exec("/exec echo $$ > pid; sleep 30"))
    client.start()
    pid_file = daemon.home / "pid"
    assert eventually(lambda: pid_file.exists() and pid_file.read_text(encoding="utf-8").endswith("\n"))
    os.kill(daemon.process.pid, number)
    assert daemon.process.wait(5) == 0
    client.join(10)
    assert not Path(f"/proc/{int(pid_file.read_text(encoding='utf-8'))}").exists()


def test_locked_store_is_not_discarded(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    first = start_daemon(data_dir=data_dir)
    first.register("default", first.home)
    first.exec('/set {x} = "1"')
    first.stop()
    with contextlib.closing(sqlite3.connect(data_dir / "sessions.db", isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode=EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        second = start_daemon(data_dir=data_dir, ready=False)
        assert second.process.wait(10) == 1
        assert second.stderr().startswith("stringd: cannot use ")
        assert len(second.stderr().splitlines()) == 1
    third = start_daemon(data_dir=data_dir)
    assert third.exec("/set").content.endswith('{x} = "1"')


def test_unreadable_row_affects_one_topic(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    first = start_daemon(data_dir=data_dir)
    first.register("default", first.home)
    for topic in ("file:a", "file:b", "file:c"):
        first.exec('/set {x} = "1"', topic)
    first.stop()
    with contextlib.closing(sqlite3.connect(data_dir / "sessions.db", isolation_level=None)) as store:
        store.execute("UPDATE sessions SET state = 'nonsense' WHERE topic = 'file:a'")
        store.execute(
            'UPDATE sessions SET state = \'{"variables": {"old": "format"}}\' WHERE topic = \'file:b\''
        )
    second = start_daemon(data_dir=data_dir)
    assert "the topic default:file:a can't be restored" in second.stderr()
    assert second.exec("/set", "file:b").content.endswith('{old} = "format" — from an unknown source')
    assert second.exec("/set", "file:c").content.endswith('{x} = "1"')


def test_storage_failure_is_reported(daemon: DaemonProcess) -> None:
    daemon.exec('/set {x} = "1"')
    with contextlib.closing(sqlite3.connect(daemon.data_dir / "sessions.db", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert daemon.exec('/set {x} = "2"').head["code"] == "STORAGE_FAILED"
        assert daemon.exec("/set").content.endswith('{x} = "1"')
        refused = daemon.request("DELETE", "/sessions/default/main")
        assert (refused.status, refused.json()["error"]) == (500, "STORAGE_FAILED")
        holder.execute("ROLLBACK")
    daemon.exec('/set {y} = "2"')
    daemon.restart()
    assert daemon.exec("/set").content.endswith('{x} = "1"\n{y} = "2"')


def test_missing_data_directory_is_reported(daemon: DaemonProcess) -> None:
    shutil.rmtree(daemon.data_dir)
    assert daemon.exec('/set {x} = "1"').head["code"] == "STORAGE_FAILED"
    assert daemon.exec("/info").head["ok"]


def executing(daemon: DaemonProcess) -> bool:
    """Return whether any command is running."""
    sessions = daemon.request("GET", "/sessions").json()["sessions"]
    return any(session["executing"] for session in sessions)


def test_health_answers_while_a_text_is_parsed(daemon: DaemonProcess) -> None:
    text = "<𝒞=string:file:a" + ' a="b"' * 200_000
    daemon.request("POST", "/chanflow", text, {"X-User-Id": "default"})
    started = time.monotonic()
    assert daemon.request("GET", "/health").status == 200
    assert time.monotonic() - started < 5
