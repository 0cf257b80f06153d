"""The daemon that tests start in a process of its own."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess


def test_nobody_else_gets_the_port_of_a_killed_daemon(own_daemon: DaemonProcess) -> None:
    own_daemon.kill()
    with socket.socket() as other, pytest.raises(OSError, match=r"in use") as refused:
        other.bind(("127.0.0.1", own_daemon.port))
    assert refused.value.errno == errno.EADDRINUSE
    own_daemon.start()
    assert own_daemon.request("GET", "/health").status == 200
