"""Fixtures: the garden distribution, with a plugin for each hook, beside a failing and a clashing one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from stringd.testing.process import DaemonProcess
from tests.daemon_pool import DaemonPool
from tests.extensions.installation import DISTRIBUTIONS, ROOT, Installation

# An empty variable hides whatever the one who runs the tests has set.
NO_SETTINGS = {"PYTHONPATH": "", "STRINGD_PLUGINS": ""}


class StartInstalled(Protocol):
    """Starts `stringd` of the installation, with the given options and environment."""

    def __call__(self, *args: str, env: dict[str, str] | None = None) -> DaemonProcess: ...


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    folder = tmp_path_factory.mktemp("installation")
    sources = shutil.copytree(DISTRIBUTIONS, folder / "sources")
    made = Installation(folder / "venv")
    made.install(ROOT, *(sources / name for name in ("garden", "weed", "wilted")))
    return made


@pytest.fixture
def start_installed(installation: Installation, start_daemon: Callable[..., Any]) -> StartInstalled:
    def start(*args: str, env: dict[str, str] | None = None) -> DaemonProcess:
        settings = {**NO_SETTINGS, **(env or {})}
        program = [str(installation.programs / "stringd")]
        daemon: DaemonProcess = start_daemon(*args, env=settings, program=program)
        return daemon

    return start


@pytest.fixture(scope="session")
def gardens(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonPool]:
    program = [str(installation.programs / "stringd")]
    pool = DaemonPool(tmp_path_factory.mktemp("gardens"), program=program, env=NO_SETTINGS)
    yield pool
    pool.close()


@pytest.fixture
def garden(gardens: DaemonPool, tmp_path: Path) -> Iterator[DaemonProcess]:
    """A running daemon of the installation, which tests share, with only the user `default`."""
    running = gardens.acquire(tmp_path / "garden")
    yield running
    gardens.release(running)


@pytest.fixture
def own_garden(start_installed: StartInstalled) -> DaemonProcess:
    """A separate running daemon of the installation, with the user `default`."""
    daemon = start_installed()
    daemon.register("default", daemon.home)
    return daemon


@pytest.fixture
def string(installation: Installation, garden: DaemonProcess, tmp_path: Path) -> Callable[..., str]:
    """Runs `string` of the installation against the garden, and returns what it prints."""

    def run(*args: str) -> str:
        finished = installation.run("string", "--port", str(garden.port), "--no-start", *args, cwd=tmp_path)
        return finished.stdout + finished.stderr

    return run
