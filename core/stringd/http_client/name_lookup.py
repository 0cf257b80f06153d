"""Name resolution in threads of its own, so that a hanging lookup blocks nothing else."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from stringd.errors import HttpFailed
from stringd.http_client.address_zones import is_address

MAX_CONCURRENT = 64
MAX_ADDRESSES = 8
_LOCALHOST = ("127.0.0.1", "::1")

LookUp: TypeAlias = Callable[[str], Sequence[str]]


def look_up_with_system(host: str) -> Sequence[str]:
    """Resolve a name with the system's resolver, in its order of preference; blocks."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(it[4][0]) for it in found]


def known_addresses(host: str) -> tuple[str, ...]:
    """Return the addresses of an IP address or of localhost; empty if the host needs a lookup."""
    if is_address(host):
        return (host,)
    name = host.rstrip(".")
    return _LOCALHOST if name == "localhost" or name.endswith(".localhost") else ()


class NameLookup:
    """Resolves names, a bounded number at once.

    Each lookup has a daemon thread: one that hangs delays neither the event loop, nor the thread pool that
    reads files, nor the daemon's shutdown.
    """

    def __init__(self, look_up: LookUp = look_up_with_system) -> None:
        self._look_up = look_up
        self._free = asyncio.Semaphore(MAX_CONCURRENT)

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Return the addresses of a host, or raise `HttpFailed`; an IP address resolves to itself."""
        known = known_addresses(host)
        if known:
            return known
        try:
            found = await self._look_up_in_thread(host)
        except (OSError, UnicodeError) as error:
            raise HttpFailed(f"no such host: {host}") from error
        return tuple(dict.fromkeys(found))[:MAX_ADDRESSES]

    async def _look_up_in_thread(self, host: str) -> Sequence[str]:
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

        def look_up() -> None:
            found: Sequence[str] | Exception
            try:
                found = self._look_up(host)
            except Exception as error:
                found = error
            # The event loop may have been closed meanwhile.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(deliver, found)

        threading.Thread(target=look_up, name=f"lookup of {host}", daemon=True).start()
        return await answer
