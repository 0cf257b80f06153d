"""A port that records every connection and packet that reaches it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

_ONE_WORD = 2048
_WAIT_SECONDS = 2.0


@dataclass
class Trap:
    """What reached the port: the first line of each connection, `UDP` for each packet."""

    port: int
    heard: list[str] = field(default_factory=list)

    @property
    def paths(self) -> set[str]:
        """The requested paths."""
        return {it.split()[1].partition("?")[0] for it in self.heard if len(it.split()) > 1}


@contextmanager
def trap() -> Iterator[Trap]:
    """Listen on one port, TCP and UDP, until the end of the block."""
    with (
        socket.create_server(("", 0), backlog=256) as listener,
        socket.socket(type=socket.SOCK_DGRAM) as packets,
    ):
        caught = Trap(listener.getsockname()[1])
        packets.bind(("", caught.port))
        for target, listening in ((_connections, listener), (_packets, packets)):
            threading.Thread(target=target, args=(listening, caught), daemon=True).start()
        yield caught
        for listening in (listener, packets):
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)


def _connections(listener: socket.socket, caught: Trap) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_answer, args=(connection, caught), daemon=True).start()


def _answer(connection: socket.socket, caught: Trap) -> None:
    with connection, suppress(OSError):
        connection.settimeout(_WAIT_SECONDS)
        words = connection.recv(_ONE_WORD)
        caught.heard.append(words.partition(b"\r\n")[0].decode("latin-1"))
        connection.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")


def _packets(listening: socket.socket, caught: Trap) -> None:
    while True:
        try:
            listening.recv(_ONE_WORD)
        except OSError:
            return
        caught.heard.append("UDP")
