"""Addresses to listen on, as people write them."""

from __future__ import annotations

import re

from stringd.plugin import Address, Fault

_ADDRESS = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.%]+)\]|(?P<host>[^\[\]:\s]+)):(?P<port>[0-9]{1,5})")
_LAST_PORT = 65535
_MISUSE = 2


def listen_address(text: str, option: str) -> Address:
    """Return the address of `HOST:PORT` or `[IPV6]:PORT`, or raise `Fault`."""
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found["port"]) > _LAST_PORT:
        raise Fault(f"{option} is HOST:PORT or [IPV6]:PORT, not {text!r}", exit_code=_MISUSE)
    return Address(found["v6"] or found["host"], int(found["port"]))
