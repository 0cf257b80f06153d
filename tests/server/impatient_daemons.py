"""Daemons that wait for clients so briefly that a test can wait, too."""

from __future__ import annotations

import sys
from collections.abc import Callable

from stringd.testing.process import DaemonProcess

IMPATIENT = """
from stringd.cli.main import main
from stringd.server import http_server as server
from stringd.server.client_timeouts import Limits, Wait
seconds = dict.fromkeys((Wait.HEAD, Wait.BODY, Wait.NEXT_REQUEST, Wait.READ), {seconds})
server.Limits = lambda: Limits(seconds=Limits().seconds | seconds, received={received}, unread={unread})
main()
"""

Start = Callable[..., DaemonProcess]


def impatient(
    start_daemon: Start, *options: str, seconds: float = 1.0, received: int = 2**28, unread: int = 2**28
) -> DaemonProcess:
    """Start a daemon with deadlines that a test can wait for."""
    program = IMPATIENT.format(seconds=seconds, received=received, unread=unread)
    env = {"STRINGD_COMMANDS_PART_CHARACTERS": "1000000"}
    daemon = start_daemon(*options, program=(sys.executable, "-c", program), env=env)
    daemon.register("default", daemon.home)
    return daemon
