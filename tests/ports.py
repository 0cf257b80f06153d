"""Ports for daemons that have to be told theirs."""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress
from pathlib import Path

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 10_000


def free_port() -> int:
    """Return a free port on loopback that the system gives to nobody who asks for any."""
    first_of_any = int(_RANGE.read_text(encoding="ascii").split()[0])
    while True:
        port = _LOWEST + secrets.randbelow(first_of_any - _LOWEST)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
