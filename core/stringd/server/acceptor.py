"""Accepts connections, also when the process runs out of file descriptors."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Awaitable, Callable

from stringd.processes.descriptors import open_descriptors
from stringd.server.client_timeouts import ClientTimeouts

log = logging.getLogger(__name__)

_BACKLOG = 2048
_AT_ONCE = 32
_PAUSE_SECONDS = 0.1
# Descriptors below the limit: kept free for what commands open, and reserved for new clients.
_FREE = 128
_RESERVED = 16


class Acceptor:
    """Accepts the clients of a listening socket; short of descriptors, it drops the longest waiting ones."""

    def __init__(
        self,
        listener: socket.socket,
        connect: Callable[[socket.socket], Awaitable[object]],
        timeouts: ClientTimeouts,
        limit: int,
    ) -> None:
        self._listener = listener
        self._connect_client = connect
        self._timeouts = timeouts
        self._most = limit - min(_FREE, limit // 8)
        self._reserve = Reserve(min(_RESERVED, limit // 16))
        self._loop = asyncio.get_running_loop()
        self._connecting: set[asyncio.Task[None]] = set()
        self._is_open = False
        self._is_crowded = False

    def open(self) -> None:
        """Start listening."""
        self._listener.setblocking(False)
        self._listener.listen(_BACKLOG)
        self._reserve.refill()
        self._is_open = True
        self._resume()

    def close(self) -> None:
        """Stop accepting clients."""
        self._is_open = False
        self._loop.remove_reader(self._listener)
        self._reserve.release_all()

    def tick(self) -> None:
        """Retry to free descriptors and to refill the reserve."""
        if self._is_open:
            if self._is_crowded:
                self._drop_excess()
            self._reserve.refill()

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                client, _ = self._listener.accept()
            except BlockingIOError:
                return
            except ConnectionError:
                continue
            except OSError as error:
                self._free_descriptor(error)
                return
            self._start_connecting(client)
            # The system assigns the lowest free descriptor: all below this one are in use.
            self._is_crowded = self._is_crowded or client.fileno() >= self._most
            if self._is_crowded:
                self._timeouts.drop_oldest()
                # The dropped connection is closed in the next iteration of the event loop.
                return

    def _drop_excess(self) -> None:
        """Drop as many connections as there are descriptors over the limit."""
        excess = open_descriptors() - self._most
        self._is_crowded = excess > 0
        for _ in range(excess):
            self._timeouts.drop_oldest()

    def _start_connecting(self, client: socket.socket) -> None:
        task = self._loop.create_task(self._connect(client))
        self._connecting.add(task)
        task.add_done_callback(self._connecting.discard)

    async def _connect(self, client: socket.socket) -> None:
        try:
            await self._connect_client(client)
        except OSError:
            client.close()

    def _free_descriptor(self, error: OSError) -> None:
        """Free a descriptor for the next attempt; if that fails, pause accepting."""
        self._is_crowded = True
        if self._timeouts.drop_oldest() or self._reserve.release():
            return
        log.warning("cannot accept a client: %s", error.strerror)
        self._loop.remove_reader(self._listener)
        self._loop.call_later(_PAUSE_SECONDS, self._resume)

    def _resume(self) -> None:
        if self._is_open:
            self._loop.add_reader(self._listener, self._accept)


class Reserve:
    """File descriptors held open, to be released when the process runs out of them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: list[int] = []

    def refill(self) -> None:
        """Open as many as are missing, or as the system allows."""
        with contextlib.suppress(OSError):
            while len(self._held) < self._size:
                self._held.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))

    def release(self) -> bool:
        """Close one; return whether there was one."""
        if not self._held:
            return False
        os.close(self._held.pop())
        return True

    def release_all(self) -> None:
        """Close all."""
        while self.release():
            pass
