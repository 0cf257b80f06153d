"""A daemon with the plugin `keeper`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess

KEEPER = Path(__file__).parent / "keeper.py"


@pytest.fixture
def kept(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    """A running daemon with the plugin and the user `default`."""
    running = start_daemon("--plugins", str(KEEPER), "--commands-part-characters", "1000000")
    running.register("default", running.home)
    return running


@pytest.fixture
def vault(start_daemon: Callable[..., DaemonProcess]) -> DaemonProcess:
    """A running daemon with the plugin `vault` and the user `default`."""
    running = start_daemon("--plugins", str(KEEPER.with_name("vault.py")))
    running.register("default", running.home)
    return running
