"""Fixtures for the protocol."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Protocol

import pytest

import tests.programs as programs
from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually
from tests.protocol.wire import Connection

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


READY = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")


class Connect(Protocol):
    """Opens one raw connection to a daemon; it is closed when the test ends."""

    def __call__(self, daemon: DaemonProcess) -> Connection: ...


class RunStringd(Protocol):
    """Runs `stringd` to its end in an empty directory, with no setting but the given ones."""

    def __call__(self, *args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]: ...


class LaunchStringd(Protocol):
    """Starts `stringd` in an empty directory, with no setting but the given ones, and tells its port."""

    def __call__(self, *args: str, env: dict[str, str] | None = None) -> int: ...


class StartProbed(Protocol):
    """Starts a daemon with the probe plugin, the given settings and the user default."""

    def __call__(self, **env: str) -> DaemonProcess: ...


@pytest.fixture
def connect() -> Iterator[Connect]:
    opened: list[Connection] = []

    def open_connection(daemon: DaemonProcess) -> Connection:
        opened.append(Connection(daemon.port))
        return opened[-1]

    yield open_connection
    for connection in opened:
        connection.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """One daemon for the tests of a module that leave nothing behind which another would see."""
    daemon = DaemonProcess(tmp_path_factory.mktemp("shared"), (), {}, port=0, data_dir=None)
    daemon.start()
    daemon.register("default", daemon.home)
    yield daemon
    daemon.kill()


@pytest.fixture
def start_probed(start_daemon: Any, probe: Path) -> StartProbed:
    def start(**env: str) -> DaemonProcess:
        daemon: DaemonProcess = start_daemon(env=env, pythonpath=[probe])
        daemon.register("default", daemon.home)
        return daemon

    return start


def settings(env: dict[str, str] | None) -> dict[str, str]:
    """The environment without the settings of whoever runs the tests, and with the given ones."""
    unset = {name: value for name, value in os.environ.items() if not name.startswith("STRINGD_")}
    return unset | (env or {})


@pytest.fixture
def run_stringd(tmp_path: Path) -> RunStringd:
    def run(*args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return programs.run_stringd(*args, folder=tmp_path, env=env)

    return run


@pytest.fixture
def launch_stringd(tmp_path: Path) -> Iterator[LaunchStringd]:
    started: list[subprocess.Popen[bytes]] = []

    def launch(*args: str, env: dict[str, str] | None = None) -> int:
        command, said = [sys.executable, "-m", "stringd", *args], tmp_path / "stderr"
        with said.open("wb") as stderr:
            started.append(subprocess.Popen(command, env=settings(env), cwd=tmp_path, stderr=stderr))
        ready = eventually(lambda: READY.search(said.read_text(encoding="utf-8")))
        return int(ready[1])

    yield launch
    for process in started:
        process.kill()
        process.wait(timeout=10)
