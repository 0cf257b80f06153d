"""The pytest plugin that is installed with stringd: its fixtures."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess

# Seconds of CPU time, which do not depend on the load of the machine.
LONGEST_HOLD = 5.0


@pytest.fixture
def start_daemon(tmp_path: Path) -> Iterator[Callable[..., DaemonProcess]]:
    """Return a function that starts daemons, which end with the test.

    The test fails if the event loop of one was blocked for long, since that blocks all other topics.
    """
    from stringd.testing.process import DaemonProcess

    started: list[DaemonProcess] = []
    numbers = itertools.count(1)

    def start(
        *args: str,
        env: Mapping[str, str] | None = None,
        pythonpath: Sequence[Path] = (),
        port: int = 0,
        data_dir: Path | None = None,
        ready: bool = True,
        program: Sequence[str] = (),
        operator: bool = False,
    ) -> DaemonProcess:
        paths = [*map(str, pythonpath), *filter(None, [os.environ.get("PYTHONPATH")])]
        path_env = {"PYTHONPATH": os.pathsep.join(paths)} if paths else {}
        folder = tmp_path / f"daemon-{next(numbers)}"
        settings = {**path_env, **(env or {})}
        daemon = DaemonProcess(
            folder, args, settings, port=port, data_dir=data_dir, program=program, operator=operator
        )
        started.append(daemon)
        daemon.start(ready=ready)
        return daemon

    yield start
    for daemon in started:
        if daemon.process.poll() is None:
            daemon.kill()
    held = max((daemon.longest_hold() for daemon in started if not daemon.may_be_held), default=0.0)
    if held > LONGEST_HOLD:
        pytest.fail(f"a daemon's event loop was held by {held} s of computing; its log says by what")


@pytest.fixture
def daemon(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    """Return a running daemon with the registered user `default`."""
    running = start_daemon()
    running.register("default", running.home)
    return running
