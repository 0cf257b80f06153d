"""The homes that this node has, and the transactions that only their owner can make."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from msgspec import Struct, field

from stringd.plugin.stores import Fenced
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.unsafe_modes import FENCES, is_switched_off

_FENCE = "SELECT 1 FROM homes WHERE id = $1 AND epoch = $2 FOR SHARE"
_OWN = "WITH own AS (SELECT 1 FROM homes WHERE id = $1 AND epoch = $2 FOR SHARE)"
_ANY = "WITH own AS (SELECT 1 WHERE $1::text IS NOT NULL AND $2::bigint IS NOT NULL)"


class OwnedHome(Struct, kw_only=True):
    """A home of this node, which is served while it is ready."""

    epoch: int
    is_ready: bool = False
    is_leaving: bool = False
    """Whether it waits for running commands, before it is passed on."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the node has given it up or lost it."""


class OwnedHomes:
    """Which homes this node has, at which epoch."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool
        self._homes: dict[str, OwnedHome] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._homes))

    def __len__(self) -> int:
        return len(self._homes)

    def get(self, user_id: str) -> OwnedHome | None:
        """Return a home of this node, ready or not."""
        return self._homes.get(user_id)

    def add(self, user_id: str, epoch: int) -> OwnedHome:
        """Add a home that was claimed; it is not served before it is ready."""
        home = self._homes[user_id] = OwnedHome(epoch=epoch)
        return home

    def remove(self, user_id: str) -> OwnedHome | None:
        """Forget a home, whose transactions fail from now on."""
        home = self._homes.pop(user_id, None)
        if home is not None:
            home.is_ready = home.is_leaving = False
            home.gone.set()
        return home

    @asynccontextmanager
    async def fenced(self, user_id: str) -> AsyncIterator[Any]:
        """Run statements in a transaction that fails with `Fenced` if another node has claimed the home."""
        epoch = self._epoch(user_id)
        async with self._pool.transaction() as connection:
            is_fenced = not is_switched_off(FENCES)
            if is_fenced and not await connection.fetchval(_FENCE, user_id, epoch):
                raise _fenced(user_id)
            yield connection

    async def write(self, user_id: str, statement: str, *values: object) -> None:
        """Run one statement, which must write a row if `own` has one: it has, if the home is ours.

        The values are $3 and so on, behind the home and its epoch.
        """
        own = _ANY if is_switched_off(FENCES) else _OWN
        tag = await self._pool.execute(f"{own}\n{statement}", user_id, self._epoch(user_id), *values)
        if tag.endswith(" 0"):
            raise _fenced(user_id)

    async def require(self, user_id: str) -> None:
        """Raise `Fenced` if another node has claimed the home."""
        async with self.fenced(user_id):
            pass

    def _epoch(self, user_id: str) -> int:
        home = self._homes.get(user_id)
        if home is None:
            raise _fenced(user_id)
        return home.epoch


def _fenced(user_id: str) -> Fenced:
    return Fenced(f"The home of {user_id} has moved to another node; nothing was written.")
