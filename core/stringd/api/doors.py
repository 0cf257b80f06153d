"""Doors: applications in front of the request guard, and the sockets that the daemon listens on for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from ssl import SSLContext
from typing import Any, NamedTuple, TypeAlias

from stringd.api.checks import check_sync, check_word
from stringd.frozen_record import FrozenRecord

LISTENING = "stringd.listening"
"""The extension of a request's scope that has the name of the socket by which it came, behind a door."""
PEER_CERTIFICATE = "stringd.peer_certificate"
"""The extension that has the certificate of a client that had to show one, as `getpeercert` returns it."""
_LAST_PORT = 65535
_Message: TypeAlias = MutableMapping[str, Any]
# As Starlette has them, which subcommands do without.
_Receive: TypeAlias = Callable[[], Awaitable[_Message]]
_Send: TypeAlias = Callable[[_Message], Awaitable[None]]
Application: TypeAlias = Callable[[_Message, _Receive, _Send], Awaitable[None]]
"""An ASGI application."""


class Address(NamedTuple):
    """What a socket is bound to."""

    host: str
    port: int


class Listening(FrozenRecord, frozen=True, kw_only=True):
    """A socket to listen on; port 0 stands for any that is free, `tls` for a server's side of TLS."""

    name: str
    host: str
    port: int
    tls: SSLContext | None = None

    def __post_init__(self) -> None:
        check_word("listening", self.name)
        if not isinstance(self.host, str) or not self.host:
            raise ValueError(f"listening {self.name} needs a host, not {self.host!r}")
        if type(self.port) is not int or not 0 <= self.port <= _LAST_PORT:
            raise ValueError(f"listening {self.name} needs a port from 0 to {_LAST_PORT}, not {self.port!r}")
        if self.tls is not None and not isinstance(self.tls, SSLContext):
            raise TypeError(f"listening {self.name} needs an SSLContext as its tls, not {self.tls!r}")


class Door(FrozenRecord, frozen=True, kw_only=True):
    """An application around everything that the daemon serves: it lets requests in, or answers them itself.

    With `listen`, the daemon listens on these sockets in place of its port on loopback. With `is_cors_open`,
    pages of any origin that the guard admits may read the answers.
    """

    name: str
    wrap: Callable[[Application], Application]
    listen: Callable[[], Sequence[Listening]] | None = None
    is_cors_open: bool = True

    def __post_init__(self) -> None:
        check_word("door", self.name)
        check_sync(f"door {self.name}", self.wrap, takes=1)
        if self.listen is not None:
            check_sync(f"listen of door {self.name}", self.listen, takes=0)
