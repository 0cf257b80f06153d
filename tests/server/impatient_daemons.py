"""Daemons that wait for clients so briefly that a test can wait, too."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from stringd.testing.process import DaemonProcess

PLUGIN = Path(__file__).with_name("impatience.py")

Start = Callable[..., DaemonProcess]


def impatient(
    start_daemon: Start,
    *options: str,
    plugins: Sequence[Path] = (),
    seconds: float = 1.0,
    received: int = 2**28,
    unread: int = 2**28,
) -> DaemonProcess:
    """Start a daemon with deadlines that a test can wait for."""
    limits = {"seconds": seconds, "received": received, "unread": unread}
    env = {"STRINGD_COMMANDS_OUTPUT_CHARACTERS": "1000000", "IMPATIENCE": json.dumps(limits)}
    daemon = start_daemon("--plugins", ",".join(map(str, (PLUGIN, *plugins))), *options, env=env)
    daemon.register("default", daemon.home)
    return daemon
