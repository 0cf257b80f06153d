"""Asks for the addresses behind names, in threads that nothing else waits for."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from stringd.errors import HttpFailed
from stringd.http_client.addresses import is_address

MOST_AT_ONCE = 64
MOST_ADDRESSES = 8
_LOCALHOST = ("127.0.0.1", "::1")

LookUp: TypeAlias = Callable[[str], Sequence[str]]


def ask_the_system(host: str) -> Sequence[str]:
    """Return the addresses of a name in the order in which they should be tried; it may take its time."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(it[4][0]) for it in found]


def known_addresses(host: str) -> tuple[str, ...]:
    """Return the addresses of a host that nobody need be asked for; none where somebody must be."""
    if is_address(host):
        return (host,)
    name = host.rstrip(".")
    return _LOCALHOST if name == "localhost" or name.endswith(".localhost") else ()


class Lookups:
    """Bounds how many names are asked for at once.

    A thread for each: one that hangs holds up neither the event loop, nor files, nor the daemon's end.
    """

    def __init__(self, look_up: LookUp = ask_the_system) -> None:
        self._look_up = look_up
        self._free = asyncio.Semaphore(MOST_AT_ONCE)

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Return the addresses of a host, or raise `HttpFailed`; an address is its own."""
        known = known_addresses(host)
        if known:
            return known
        try:
            found = await self._asked(host)
        except (OSError, UnicodeError) as error:
            raise HttpFailed(f"no such host: {host}") from error
        return tuple(dict.fromkeys(found))[:MOST_ADDRESSES]

    async def _asked(self, host: str) -> Sequence[str]:
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Sequence[str]] = loop.create_future()

        def deliver(found: Sequence[str] | Exception) -> None:
            self._free.release()
            if answer.done():
                return
            if isinstance(found, Exception):
                answer.set_exception(found)
            else:
                answer.set_result(found)

        def ask() -> None:
            found: Sequence[str] | Exception
            try:
                found = self._look_up(host)
            except Exception as error:
                found = error
            # The daemon may have ended meanwhile.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(deliver, found)

        threading.Thread(target=ask, name=f"lookup of {host}", daemon=True).start()
        return await answer
