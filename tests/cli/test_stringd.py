"""The `stringd` program under adverse conditions: closed pipes, full disks, blocked signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess

PROGRAM = [sys.executable, "-m", "stringd"]


def run(*args: str, stdout: int = subprocess.PIPE, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *args],
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=20,
        check=False,
    )


@pytest.mark.parametrize("command", ["status", "users", "sessions", "plugins"])
def test_closed_pipe_is_not_an_error(daemon: DaemonProcess, command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = run(command, stdout=writing, STRINGD_PORT=str(daemon.port))
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_full_disk_is_a_one_line_error(daemon: DaemonProcess) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = run("status", stdout=full.fileno(), STRINGD_PORT=str(daemon.port))
    assert ended.returncode == 1
    assert ended.stderr == b"stringd: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("words", [["users", "--remove", "x"], ["sessions", "--close", "file:x"]])
def test_removing_a_missing_entry_fails(daemon: DaemonProcess, words: list[str]) -> None:
    ended = run(*words, STRINGD_PORT=str(daemon.port))
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr.startswith(b"stringd: no such ")


def test_user_can_be_allowed_a_directory(daemon: DaemonProcess, tmp_path: Path) -> None:
    port, project = str(daemon.port), tmp_path / "project"
    project.mkdir()
    assert run("users", "--allow", str(project / "no"), STRINGD_PORT=port).returncode == 1
    for _ in range(2):
        assert run("users", "--allow", str(project), STRINGD_PORT=port).returncode == 0
    [user] = daemon.request("GET", "/users").json()["users"]
    assert (user["home"], user["allowedPaths"]) == (str(daemon.home), [str(project)])
    assert daemon.exec(f"/write {project}/a.md\ntext").head["ok"]


def test_users_and_sessions_can_be_removed(daemon: DaemonProcess) -> None:
    daemon.exec("/info")
    port = str(daemon.port)
    assert run("sessions", "--close", "main", STRINGD_PORT=port).stdout == b"removed session main\n"
    assert run("users", "--remove", "default", STRINGD_PORT=port).stdout == b"removed user default\n"
    health = daemon.request("GET", "/health").json()
    assert health.items() >= {"ok": True, "users": 0, "sessions": 0}.items()


@pytest.mark.parametrize("origin", ["garbage", "", "https://", "https://a b", "https://a/path"])
def test_invalid_origin_is_refused(origin: str) -> None:
    ended = run("--allow-origin", origin, "--port", "0")
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"stringd: not an origin such as https://example.com: ")


def test_shutdown_waits_for_the_daemon_to_end(daemon: DaemonProcess) -> None:
    ended = run("shutdown", STRINGD_PORT=str(daemon.port))
    assert (ended.returncode, ended.stdout) == (0, b"stringd shutting down\n")
    assert daemon.process.wait(5) == 0


def test_closed_stderr_does_not_break_the_daemon(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    daemon = subprocess.Popen(
        [*PROGRAM, "--port", "0", "--data-dir", str(tmp_path / "data")],
        stdin=subprocess.DEVNULL,
        stderr=writing,
    )
    os.close(writing)
    try:
        assert b"listening" in os.read(reading, 1000)
        os.close(reading)
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(10) == 0
    finally:
        daemon.kill()


def test_inherited_blocked_signals_are_handled(start_daemon: Callable[..., DaemonProcess]) -> None:
    blocked = {signal.SIGTERM, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        daemon = start_daemon()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, blocked)
    daemon.register("default", daemon.home)
    assert daemon.exec("/exec echo hi").head["ok"]
    assert daemon.stop() == 0
