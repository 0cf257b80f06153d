"""What daemon, host process and supervisors say to one another: lines of JSON, with descriptors."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

_LONGEST = 65536
_MOST_DESCRIPTORS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What kind of shell is wanted."""

    program: str
    rc: str
    home: str
    environment: dict[str, str]
    rows: int
    columns: int

    def encode(self) -> bytes:
        """Return the order as a message."""
        return encode(asdict(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message's fields and descriptors; one without fields says that the other side has ended."""

    fields: dict[str, Any]
    descriptors: tuple[int, ...] = ()


def encode(fields: dict[str, Any]) -> bytes:
    """Return fields as one line."""
    return json.dumps(fields).encode() + b"\n"


def send(to: socket.socket, line: bytes, descriptors: Sequence[int] = ()) -> None:
    """Send one message."""
    socket.send_fds(to, [line], descriptors)


def receive(origin: socket.socket) -> list[Message]:
    """Return the messages that have come; the last one is empty when there will be no more."""
    try:
        data, descriptors, _, _ = socket.recv_fds(origin, _LONGEST, _MOST_DESCRIPTORS)
    except ConnectionError:
        data, descriptors = b"", []
    lines = data.splitlines()
    if not lines:
        return [Message(fields={})]
    # Descriptors come with the message that they were sent with, which never is merged into an earlier one.
    first = Message(fields=json.loads(lines[0]), descriptors=tuple(descriptors))
    return [first, *(Message(fields=json.loads(line)) for line in lines[1:])]
