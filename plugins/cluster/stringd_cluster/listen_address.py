"""Addresses to listen on, as people write them, and those that other nodes are told."""

from __future__ import annotations

import re

from stringd.plugin import Address, Fault

_ADDRESS = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.%]+)\]|(?P<host>[^\[\]:\s]+)):(?P<port>[0-9]{1,5})")
_LAST_PORT = 65535
_MISUSE = 2
_EVERYWHERE = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - recognised, not bound


def listen_address(text: str, option: str) -> Address:
    """Return the address of `HOST:PORT` or `[IPV6]:PORT`, or raise `Fault`."""
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found["port"]) > _LAST_PORT:
        raise Fault(f"{option} is HOST:PORT or [IPV6]:PORT, not {text!r}", exit_code=_MISUSE)
    return Address(found["v6"] or found["host"], int(found["port"]))


def advertised_address(given: str, listening: Address) -> str:
    """Return the address at which other nodes reach this one, or raise `Fault` if it must be given."""
    if given:
        listen_address(given, "--advertise")
        return given
    host, port = listening
    if host in _EVERYWHERE:
        raise Fault(
            f"other nodes need an address of this one: --node-listen has {host}, which is any; "
            "set --advertise HOST:PORT"
        )
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
