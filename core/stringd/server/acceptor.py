"""Taking in clients, also where this process may have no more descriptors."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Callable

from stringd.server.client_timeouts import ClientTimeouts

log = logging.getLogger(__name__)

_BACKLOG = 2048
_AT_ONCE = 32
_PAUSE_SECONDS = 0.1
# Below the limit so many are left to what commands open; so many more are nobody's but new clients'.
_FREE = 128
_RESERVED = 16
_DESCRIPTORS = "/dev/fd"


class Acceptor:
    """Takes the clients of one listening socket; where it is crowded, those who keep it waiting make room."""

    def __init__(
        self,
        listener: socket.socket,
        make: Callable[[], asyncio.Protocol],
        patience: ClientTimeouts,
        limit: int,
    ) -> None:
        self._listener = listener
        self._make = make
        self._patience = patience
        self._most = limit - min(_FREE, limit // 8)
        self._reserve = Reserve(min(_RESERVED, limit // 16))
        self._loop = asyncio.get_running_loop()
        self._beginning: set[asyncio.Task[None]] = set()
        self._is_open = False
        self._is_crowded = False

    def open(self) -> None:
        """Begin to listen."""
        self._listener.setblocking(False)
        self._listener.listen(_BACKLOG)
        self._reserve.refill()
        self._is_open = True
        self._resume()

    def close(self) -> None:
        """Take no more clients."""
        self._is_open = False
        self._loop.remove_reader(self._listener)
        self._reserve.release_all()

    def tick(self) -> None:
        """Have the room made and the reserve filled that could not be before."""
        if self._is_open:
            if self._is_crowded:
                self._make_room()
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
                self._find_room(error)
                return
            self._begin(client)
            # A process is given the lowest number that is free: all below this one are taken.
            self._is_crowded = self._is_crowded or client.fileno() >= self._most
            if self._is_crowded:
                self._patience.give_up_oldest()
                # Who makes room has left when the loop has come round, no sooner.
                return

    def _make_room(self) -> None:
        """Have as many leave as there are too many, which is counted only where there may be some."""
        excess = _open_descriptors() - self._most
        self._is_crowded = excess > 0
        for _ in range(excess):
            self._patience.give_up_oldest()

    def _begin(self, client: socket.socket) -> None:
        task = self._loop.create_task(self._connect(client))
        self._beginning.add(task)
        task.add_done_callback(self._beginning.discard)

    async def _connect(self, client: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._make, client)
        except OSError:
            client.close()

    def _find_room(self, error: OSError) -> None:
        """Have the next attempt succeed; where nothing helps, try again after a while."""
        self._is_crowded = True
        if self._patience.give_up_oldest() or self._reserve.release():
            return
        log.warning("no client can be taken in: %s", error.strerror)
        self._loop.remove_reader(self._listener)
        self._loop.call_later(_PAUSE_SECONDS, self._resume)

    def _resume(self) -> None:
        if self._is_open:
            self._loop.add_reader(self._listener, self._accept)


def _open_descriptors() -> int:
    with os.scandir(_DESCRIPTORS) as entries:
        return sum(1 for _ in entries)


class Reserve:
    """Descriptors that are held so that nobody else can have them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: list[int] = []

    def refill(self) -> None:
        """Hold as many as there should be, or can be had."""
        with contextlib.suppress(OSError):
            while len(self._held) < self._size:
                self._held.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))

    def release(self) -> bool:
        """Let go of one; false if none is held."""
        if not self._held:
            return False
        os.close(self._held.pop())
        return True

    def release_all(self) -> None:
        """Let go of all."""
        while self.release():
            pass
