"""Fixtures: the garden distribution, with a plugin for each hook, beside a failing and a clashing one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from stringd.testing.process import DaemonProcess
from tests.cli.terminal import PROGRAM
from tests.daemon_pool import DaemonPool
from tests.extensions.installation import DISTRIBUTIONS, ROOT, Installation, SourceTree

# An empty variable hides whatever the one who runs the tests has set.
NO_SETTINGS = {"STRINGD_PLUGINS": ""}
GARDEN = ("garden", "weed", "wilted")


class StartGarden(Protocol):
    """Starts a daemon with the garden's distributions, and the given options and environment."""

    def __call__(self, *args: str, env: dict[str, str] | None = None) -> DaemonProcess: ...


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    folder = tmp_path_factory.mktemp("installation")
    sources = shutil.copytree(DISTRIBUTIONS, folder / "sources")
    made = Installation(folder / "venv")
    made.install(ROOT, *(sources / name for name in GARDEN))
    return made


@pytest.fixture(scope="session")
def source_tree(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    return SourceTree(tmp_path_factory.mktemp("garden"), *(DISTRIBUTIONS / name for name in GARDEN))


@pytest.fixture
def start_garden(source_tree: SourceTree, start_daemon: Callable[..., Any]) -> StartGarden:
    def start(*args: str, env: dict[str, str] | None = None) -> DaemonProcess:
        settings = {**NO_SETTINGS, **(env or {})}
        daemon: DaemonProcess = start_daemon(*args, env=settings, pythonpath=[source_tree.folder])
        return daemon

    return start


@pytest.fixture(scope="session")
def gardens(source_tree: SourceTree, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonPool]:
    env = {**NO_SETTINGS, "PYTHONPATH": str(source_tree.folder)}
    pool = DaemonPool(tmp_path_factory.mktemp("gardens"), env=env)
    yield pool
    pool.close()


@pytest.fixture
def garden(gardens: DaemonPool, tmp_path: Path) -> Iterator[DaemonProcess]:
    """A running daemon with the garden's plugins, which tests share, with only the user `default`."""
    running = gardens.acquire(tmp_path / "garden")
    yield running
    gardens.release(running)


@pytest.fixture
def own_garden(start_garden: StartGarden) -> DaemonProcess:
    """A separate running daemon with the garden's plugins, with the user `default`."""
    daemon = start_garden()
    daemon.register("default", daemon.home)
    return daemon


@pytest.fixture
def string(garden: DaemonProcess, tmp_path: Path) -> Callable[..., str]:
    """Runs `string` against the garden, and returns what it prints."""

    def run(*args: str) -> str:
        command = [PROGRAM, "--port", str(garden.port), "--no-start", *args]
        run = subprocess.run(
            command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        return run.stdout + run.stderr

    return run
