"""The network policy of one page: hosts are resolved once, checked by zone, and pinned."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

from msgspec import Struct, field

from stringd.plugin import ErrorCode, HttpRoute, Refusal, Zone

CONNECT_SECONDS = 10.0
MAX_BYTES = 64 * 1024**2

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect: TypeAlias = Callable[[str, int], Awaitable[Streams]]
Origin: TypeAlias = tuple[str, int]


class Routes(Protocol):
    """Resolves hosts and refuses those out of reach."""

    async def route(self, host: str, port: int, *, nearest_zone: Zone) -> HttpRoute:
        """Resolve a host; refuse one nearer than `nearest_zone`."""


class NetworkPolicy(Struct, kw_only=True):
    """Where a page may connect to: `nearest_zone` is the nearest allowed one, `zone` that of the page."""

    routes: Routes
    nearest_zone: Zone
    connect_to: Connect = asyncio.open_connection
    zone: Zone = Zone.PUBLIC
    failures: dict[Origin, str] = field(default_factory=dict)
    """Why connecting failed, by origin."""
    _routes: dict[tuple[Origin, Zone], asyncio.Task[HttpRoute]] = field(default_factory=dict)
    _bytes_left: int = MAX_BYTES

    async def admit(self, host: str, port: int) -> HttpRoute:
        """Resolve a host, always to the same addresses; refuse one that the page may not reach."""
        nearest_zone = self.nearest_zone
        key = (host, port), nearest_zone
        if key not in self._routes:
            self._routes[key] = asyncio.ensure_future(
                self.routes.route(host, port, nearest_zone=nearest_zone)
            )
            self._routes[key].add_done_callback(_retrieve_exception)
        route = await asyncio.shield(self._routes[key])
        # The page may have navigated meanwhile.
        return route if nearest_zone == self.nearest_zone else await self.admit(host, port)

    async def enter(self, host: str, port: int) -> None:
        """Admit the host of the new page; from then on nothing nearer than it is admitted."""
        route = await self.admit(host, port)
        self.zone = route.zone
        self.nearest_zone = min(self.nearest_zone, route.zone)

    async def embed(self, host: str, port: int) -> None:
        """Admit the host of a frame; one farther away must not be framed by a nearer page."""
        route = await self.admit(host, port)
        if route.zone < self.nearest_zone:
            message = f"{host} is farther away than the page, which may not show it in a frame."
            raise Refusal(ErrorCode.NOT_TRUSTED, message)

    async def connect(self, host: str, port: int) -> Streams:
        """Connect to a host."""
        route = await self.admit(host, port)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await self._connect_to_first(route.addresses, port)
        except OSError as error:
            self.failures[host, port] = os.strerror(error.errno) if error.errno else "no connection in time"
            raise

    def allow_bytes(self) -> None:
        """Allow as many bytes as a new page may transfer."""
        self._bytes_left = MAX_BYTES

    def count_bytes(self, count: int) -> None:
        """Count transferred bytes; abort beyond the limit."""
        self._bytes_left -= count
        if self._bytes_left < 0:
            raise ConnectionAbortedError

    async def _connect_to_first(self, addresses: tuple[str, ...], port: int) -> Streams:
        for address in addresses[:-1]:
            with contextlib.suppress(OSError):
                return await self.connect_to(address, port)
        return await self.connect_to(addresses[-1], port)


def _retrieve_exception(found: asyncio.Task[HttpRoute]) -> None:
    """Retrieve the exception, since the waiting task may be gone."""
    if not found.cancelled():
        found.exception()
