"""Clients start a daemon if none is running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stringd.client import (
    Client,
    DaemonUnreachable,
    PortTaken,
)
from tests.client.fake import FakeDaemon, http, until
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.client.drivers import Talk

RUN = ("exec", "file:main", "/info")
SCRIPT = "from stringd.client import Client; print(Client().exec('file:main', '/info').ok)"


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A free port for a daemon that a client starts; it ends with the test."""
    free = free_port()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("STRINGD_PORT", str(free))
    monkeypatch.delenv("STRINGD_DATA_DIR", raising=False)
    yield free
    with Client(port=free) as client:
        try:
            process = client.status()["pid"]
            client.shutdown()
        except DaemonUnreachable:
            return
    until(lambda: not running(process))


def running(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.requirement("client.autostart")
def test_first_command_starts_daemon_and_registers_user(port: int, talk: Talk, tmp_path: Path) -> None:
    result, users, status = talk(port, RUN, ("users",), ("status",))
    assert result.ok
    assert [(user["id"], user["home"]) for user in users] == [
        ("default", str(tmp_path / ".string/users/default"))
    ]
    assert Path(status["data_dir"]) == tmp_path / ".string/.stringd"
    assert "listening on" in (tmp_path / ".string/stringd.log").read_text(encoding="utf-8")


def test_started_daemon_has_its_own_process_session(port: int) -> None:
    with Client() as client:
        client.exec("file:main", "/info")
        process = client.status()["pid"]
    assert os.getsid(process) == process
    assert Path(f"/proc/{process}/fd/0").readlink() == Path("/dev/null")


def test_relative_data_directory_is_resolved_by_the_caller(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("STRINGD_DATA_DIR", "data")
    with Client() as client:
        client.exec("file:main", "/info")
    assert (tmp_path / "here/data/users.json").exists()


@pytest.mark.long
@pytest.mark.requirement("client.autostart")
def test_concurrent_programs_start_one_daemon(port: int, tmp_path: Path) -> None:
    programs = [
        subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    assert [program.communicate(timeout=30)[0] for program in programs] == ["True\n"] * 4
    log = (tmp_path / ".string/stringd.log").read_text(encoding="utf-8")
    assert log == f"stringd listening on http://127.0.0.1:{port}\n"


def test_concurrent_threads_start_one_daemon(port: int, tmp_path: Path) -> None:
    results: list[bool] = []

    def run() -> None:
        with Client() as client:
            results.append(client.exec("file:main", "/info").ok)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 3
    assert (tmp_path / ".string/stringd.log").read_text(encoding="utf-8").count("\n") == 1


@pytest.mark.requirement("client.autostart")
def test_ended_daemon_is_restarted(port: int, talk: Talk) -> None:
    old: list[int] = []

    def end() -> None:
        with Client() as client:
            old.append(client.status()["pid"])
        os.kill(old[0], signal.SIGKILL)
        # Once reaped, all its threads and with them its sockets are gone.
        until(lambda: not Path(f"/proc/{old[0]}").exists())

    first, second, status = talk(port, RUN, end, RUN, ("status",))
    assert first.ok
    assert second.ok
    assert status["pid"] != old[0]


@pytest.mark.long
def test_a_new_daemon_waits_for_the_old_one_to_end(port: int) -> None:
    with Client() as client:
        client.exec("file:main", "/info")
        old = client.status()["pid"]
        stubborn = threading.Thread(target=_run_stubborn_command)
        stubborn.start()
        until(lambda: any(session["executing"] for session in client.sessions()))
        client.shutdown()
        until(lambda: not _answers(client))
        assert running(old)
        assert client.exec("file:main", "/info").ok
        assert client.status()["pid"] != old
    stubborn.join()


def _run_stubborn_command() -> None:
    with Client() as client:
        client.exec("file:other", "/exec trap '' TERM; sleep 20; sleep 20")


def _answers(client: Client) -> bool:
    try:
        client.health()
    except DaemonUnreachable:
        return False
    return True


def test_start_failure_quotes_the_daemon(port: int, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRINGD_PLUGINS", "nonsense")
    with pytest.raises(DaemonUnreachable, match=r"did not start: unknown plugin: nonsense .*bash"):
        talk(port, RUN)


def test_foreign_server_on_the_port_prevents_start(port: int, talk: Talk, tmp_path: Path) -> None:
    with FakeDaemon(port=port) as other:
        other.routes |= {it: [http(b"<html>", kind="text/html")] for it in ("GET /health", "POST /exec")}
        with pytest.raises(PortTaken, match=f"port {port} "):
            talk(port, RUN)
    assert not (tmp_path / ".string/stringd.log").exists()


def test_daemon_is_not_started_with_start_false(port: int, talk: Talk, tmp_path: Path) -> None:
    with pytest.raises(DaemonUnreachable):
        talk(port, RUN, start=False)
    assert not (tmp_path / ".string").exists()


@pytest.mark.requirement("special.client")
def test_log_that_is_a_pipe_does_not_block(port: int, tmp_path: Path) -> None:
    (tmp_path / ".string").mkdir(mode=0o700)
    os.mkfifo(tmp_path / ".string" / "stringd.log")
    command = [sys.executable, "-m", "stringd", *RUN]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, "stringd.log cannot be written: it is a named pipe" in ended.stderr) == (
        1,
        True,
    )
