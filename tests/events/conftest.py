"""A daemon with a plugin that publishes events on demand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess

CHATTER = Path(__file__).parent / "chatter.py"


@pytest.fixture
def chattering(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    """A running daemon with the plugin and the user `default`."""
    daemon = start_daemon("--plugins", str(CHATTER))
    daemon.register("default", daemon.home)
    return daemon
