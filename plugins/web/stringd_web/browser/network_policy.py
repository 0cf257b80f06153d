"""How far one page reaches: every host is looked up once, judged, and only what was found is connected to."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from stringd.plugin import HttpRoute, Refusal, Zone

CONNECT_SECONDS = 10.0
MOST_BYTES = 64 * 1024**2

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect: TypeAlias = Callable[[str, int], Awaitable[Streams]]
Origin: TypeAlias = tuple[str, int]


class Routes(Protocol):
    """Says where hosts lead, and refuses what may not be reached."""

    async def route(self, host: str, port: int, *, reach: Zone) -> HttpRoute:
        """Return the way to a host that lies no nearer than `reach`."""


@dataclass(slots=True, kw_only=True)
class NetworkPolicy:
    """What lies around a page: `reach` is the nearest zone that it may lead to, `zone` where it came from."""

    routes: Routes
    reach: Zone
    connect_to: Connect = asyncio.open_connection
    zone: Zone = Zone.PUBLIC
    faults: dict[Origin, str] = field(default_factory=dict)
    """Why nothing came from where, for whoever asked for it."""
    _found: dict[tuple[Origin, Zone], asyncio.Task[HttpRoute]] = field(default_factory=dict)
    _left: int = MOST_BYTES

    async def admit(self, host: str, port: int) -> HttpRoute:
        """Return where a host leads, always the same; refuse what the page may not reach."""
        reach = self.reach
        key = (host, port), reach
        if key not in self._found:
            self._found[key] = asyncio.ensure_future(self.routes.route(host, port, reach=reach))
            self._found[key].add_done_callback(_take_note)
        route = await asyncio.shield(self._found[key])
        # The page may have become another one meanwhile.
        return route if reach == self.reach else await self.admit(host, port)

    async def enter(self, host: str, port: int) -> None:
        """Admit what is to become the page; nothing leads nearer than that from then on."""
        route = await self.admit(host, port)
        self.zone = route.zone
        self.reach = min(self.reach, route.zone)

    async def embed(self, host: str, port: int) -> None:
        """Admit a frame: what comes from farther away gets no place in a page that leads nearer."""
        route = await self.admit(host, port)
        if route.zone < self.reach:
            message = f"{host} is farther away than the page, which shows no frame of it."
            raise Refusal("NOT_TRUSTED", message)

    async def connect(self, host: str, port: int) -> Streams:
        """Connect to where a host leads."""
        route = await self.admit(host, port)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await self._first_to_answer(route.addresses, port)
        except OSError as error:
            self.faults[host, port] = os.strerror(error.errno) if error.errno else "no connection in time"
            raise

    def spend(self, count: int) -> None:
        """Count what the page takes from the network and sends there, which has an end."""
        self._left -= count
        if self._left < 0:
            raise ConnectionAbortedError

    async def _first_to_answer(self, addresses: tuple[str, ...], port: int) -> Streams:
        for address in addresses[:-1]:
            with contextlib.suppress(OSError):
                return await self.connect_to(address, port)
        return await self.connect_to(addresses[-1], port)


def _take_note(found: asyncio.Task[HttpRoute]) -> None:
    """Look at how a search ended: whoever wanted to know may have left."""
    if not found.cancelled():
        found.exception()
