"""Messages between the daemon and its helper processes: JSON objects with descriptors, one a packet."""

from __future__ import annotations

import array
import errno
import json
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

_LONGEST = 65536
_MOST_DESCRIPTORS = 128
_SPACE = socket.CMSG_SPACE(_MOST_DESCRIPTORS * array.array("i").itemsize)


class Message(NamedTuple):
    """The fields of a message and the descriptors that came with it, which the receiver must close."""

    fields: dict[str, Any]
    descriptors: tuple[int, ...] = ()


class MessageSocket:
    """One end of a connection; SOCK_SEQPACKET keeps the boundaries of messages."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected

    @classmethod
    def pair(cls) -> tuple[MessageSocket, MessageSocket]:
        """Return two connected ends."""
        one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return cls(one), cls(other)

    def fileno(self) -> int:
        """Return the descriptor."""
        return self.socket.fileno()

    def send(self, fields: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Send one message; raise `OSError` if it is too long or there is no other end."""
        data = json.dumps(fields).encode()
        if len(data) > _LONGEST:
            raise OSError(errno.EMSGSIZE, os.strerror(errno.EMSGSIZE))
        socket.send_fds(self.socket, [data], descriptors)

    def receive(self) -> Message | None:
        """Return the next message; None when the other end is closed."""
        try:
            # Not `recv_fds`, which ignores flags in some versions of Python. Without this flag, every program
            # that this process starts would inherit the descriptors.
            data, ancillary, _, _ = self.socket.recvmsg(_LONGEST, _SPACE, socket.MSG_CMSG_CLOEXEC)
        except ConnectionError:
            return None
        return Message(json.loads(data), tuple(_descriptors(ancillary))) if data else None

    def close(self) -> None:
        """Close this end."""
        self.socket.close()


def _descriptors(ancillary: Iterable[tuple[int, int, bytes]]) -> Iterator[int]:
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            whole = array.array("i")
            whole.frombytes(data[: len(data) - len(data) % whole.itemsize])
            yield from whole
