"""Which headers an action may declare: not those that say how a message is read, or by whom."""

from __future__ import annotations

import re

# They belong to one connection, or say where a message ends: whoever sends it has to know.
_OF_THE_CONNECTION = frozenset(
    {"connection", "content-length", "expect", "keep-alive", "proxy-connection", "te", "trailer"}
    | {"transfer-encoding", "upgrade"}
)
_HOST = "host"
_AUTHORITY = re.compile(r"[\w.:\[\]-]+", re.ASCII)


def fault_of(name: str, value: str) -> str | None:
    """Return why a header can't be declared so; None where it can."""
    if name.lower() in _OF_THE_CONNECTION:
        return f"{name} is no header of an action's: it is written by whoever sends the request"
    if name.lower() == _HOST and not _AUTHORITY.fullmatch(value):
        return f"{name} holds no value: it is a name that stands in the document"
    return None
