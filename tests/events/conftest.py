"""Daemons with plugins that publish events on demand, and that record published events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.events.output import StartDaemon, Watched, start_watched

CHATTER = Path(__file__).parent / "chatter.py"


@pytest.fixture
def chattering(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    """A running daemon with the plugin and the user `default`."""
    daemon = start_daemon("--plugins", str(CHATTER))
    daemon.register("default", daemon.home)
    return daemon


@pytest.fixture
def watched(start_daemon: StartDaemon, tmp_path: Path) -> Watched:
    return start_watched(start_daemon, tmp_path)
