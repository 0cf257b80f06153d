"""The key-value stores of plugins, in the database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from stringd_cluster.engine.database_pool import ConnectionPool

_GET = "SELECT value FROM storage WHERE plugin = $1 AND key = $2"
_ITEMS = "SELECT key, value FROM storage WHERE plugin = $1 AND starts_with(key, $2) ORDER BY key"
_SET = """
INSERT INTO storage VALUES ($1, $2, $3) ON CONFLICT (plugin, key) DO UPDATE SET value = excluded.value
"""
_DELETE = "DELETE FROM storage WHERE plugin = $1 AND key = $2"
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('stringd storage'), hashtext($1))"


class StorageTable:
    """The entries of one plugin, which all nodes share; implements `EntryTable`."""

    def __init__(self, pool: ConnectionPool, plugin: str) -> None:
        self._pool = pool
        self._plugin = plugin
        self._locking: Any = None

    async def get(self, key: str) -> str | None:
        """Return the value of a key."""
        row = await self._pool.fetchrow(_GET, self._plugin, key)
        return None if row is None else row["value"]

    async def items(self, prefix: str) -> Sequence[tuple[str, str]]:
        """Return the entries whose keys begin with a prefix, sorted."""
        return [(it["key"], it["value"]) for it in await self._pool.fetch(_ITEMS, self._plugin, prefix)]

    async def change(self, entries: Sequence[tuple[str, str | None]]) -> None:
        """Set entries, or remove those without a value, when `exclusive` ends: the lock lasts until then."""
        for key, value in entries:
            if value is None:
                await self._locking.execute(_DELETE, self._plugin, key)
            else:
                await self._locking.execute(_SET, self._plugin, key, value)

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        """Exclude changes by other nodes, and store the own ones together at the end."""
        async with self._pool.transaction() as connection:
            await connection.execute(_LOCK, self._plugin)
            self._locking = connection
            yield
