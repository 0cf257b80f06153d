"""Logs that only grow, such as the histories of runs, in the database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar
from weakref import WeakSet

from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.homes.owned_homes import OwnedHomes
from stringd_cluster.stores.log_ends import LogEnds
from stringd_cluster.stores.log_failures import log_failures
from stringd_cluster.stores.log_pages import read_in_pages
from stringd_cluster.stores.stored_log import StoredLog

Value = TypeVar("Value")

_OWNERS = "SELECT DISTINCT user_id FROM logs WHERE name = ANY ($1)"
_REMOVE = "DELETE FROM logs WHERE user_id = $1 AND name = ANY ($2)"


class LogTable:
    """The logs of all users, which are written where the home of their user is; implements `AppendLogs`."""

    def __init__(self, pool: ConnectionPool, homes: OwnedHomes) -> None:
        self._pool = pool
        self._homes = homes
        self._ends = LogEnds(pool)
        self._written: WeakSet[StoredLog] = WeakSet()

    def log(self, owner: str, name: str) -> StoredLog:
        """Return a log to append to until the home of its owner leaves this node."""
        log = StoredLog(self._homes, owner, name)
        self._written.add(log)
        return log

    async def read(self, name: str, parse: Callable[[Iterable[bytes]], Value]) -> Value | None:
        """Return what a function makes of the lines of a log, of which few are in memory at a time."""
        with log_failures():
            return await read_in_pages(self._pool, name, parse)

    async def ends(self, parse: Callable[[bytes], Value], *, owner: str | None = None) -> Mapping[str, Value]:
        """Return what a function makes of the last line of each log; always use the same function."""
        with log_failures():
            return await self._ends.of(owner, parse)

    async def remove(self, names: Collection[str]) -> None:
        """Remove logs of homes that are here, as far as they exist."""
        with log_failures():
            for row in await self._pool.fetch(_OWNERS, list(names)):
                async with self._homes.fenced(row["user_id"]) as connection:
                    await connection.execute(_REMOVE, row["user_id"], list(names))

    async def settle(self, user_id: str) -> None:
        """Return once everything is stored that was to be added to the logs of a user."""
        # Whoever was told of lines to write comes to append them.
        await asyncio.sleep(0)
        for log in tuple(self._written):
            if log.owner == user_id:
                await log.settle()

    def forget(self, user_id: str) -> None:
        """Forget what is known of the logs of a home that has left."""
        self._ends.forget(user_id)
