"""Tell a client that has hung up from one that has only finished sending."""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from stringd.plugin import Disconnected

_PIECE = 64 * 1024
_MOST_DISCARDED = 1024 * 1024
_GONE = select.EPOLLHUP | select.EPOLLERR


class HangupWatch:
    """Watches connected clients, and discards what they still send.

    The kernel reports EPOLLHUP when both directions of a socket are shut: a client that half-closes after its
    request does not hang up. Event loops do not offer that event, so an epoll of its own stands between.
    """

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._watched: dict[int, _Watched] = {}

    def start(self) -> None:
        """Take part in the running event loop."""
        asyncio.get_running_loop().add_reader(self._epoll.fileno(), self._take_events)

    def close(self) -> None:
        """Leave the event loop; nobody is watched any more."""
        asyncio.get_running_loop().remove_reader(self._epoll.fileno())
        self._epoll.close()

    @contextmanager
    def watching(self, client: socket.socket) -> Iterator[Disconnected]:
        """Return what returns when the client has hung up, within the context."""
        watched = _Watched(client)
        self._watched[client.fileno()] = watched
        self._epoll.register(client.fileno(), select.EPOLLIN)
        try:
            yield watched.disconnected
        finally:
            del self._watched[client.fileno()]
            with contextlib.suppress(FileNotFoundError):
                self._epoll.unregister(client.fileno())

    def _take_events(self) -> None:
        for descriptor, events in self._epoll.poll(0):
            watched = self._watched[descriptor]
            if events & _GONE:
                watched.gone.set()
                self._epoll.unregister(descriptor)
            elif not watched.discard():
                # A mask without events still reports that the client hangs up.
                self._epoll.modify(descriptor, 0)


class _Watched:
    def __init__(self, client: socket.socket) -> None:
        self.gone = asyncio.Event()
        self._client = client
        self._discarded = 0

    async def disconnected(self) -> None:
        """Return when the client has hung up."""
        await self.gone.wait()

    def discard(self) -> bool:
        """Read what the client sends behind its request; return whether to go on."""
        try:
            data = self._client.recv(_PIECE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._discarded += len(data)
        return bool(data) and self._discarded < _MOST_DISCARDED
