"""The `$NAME`s of users, in the database; those of the node's homes are kept in memory, too."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stringd.plugin import SecretScope
from stringd.plugin.stores import ScopedSecrets
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.homes.owned_homes import OwnedHomes

FOR_ALL = ""
"""In place of a user: the secrets for plugins that are for all users, which every node has."""
_OF_USER = "SELECT user_id, owner, config, name, value FROM secrets WHERE user_id = $1"
_REMOVE = "DELETE FROM secrets WHERE user_id = $1 AND owner = $2 AND config = $3"
_ADD = "INSERT INTO secrets (user_id, owner, config, name, value) VALUES ($1, $2, $3, $4, $5)"
_ANNOUNCE = "SELECT pg_notify('stringd_secrets', $1)"


class SecretTable(ScopedSecrets):
    """Stores the secrets of the node's homes; implements `SecretStore`."""

    def __init__(self, pool: ConnectionPool, homes: OwnedHomes, notifications: Notifications) -> None:
        super().__init__()
        self._pool = pool
        self._homes = homes
        self._reading: set[asyncio.Task[None]] = set()
        notifications.listen("stringd_secrets", self._changed_elsewhere)

    def open(self, data_dir: Path) -> None:
        """Do nothing: secrets are read when a home is claimed."""

    def close(self) -> None:
        """Do nothing: every write is in the database when it returns."""

    async def load(self, user_id: str) -> None:
        """Read the secrets of a user."""
        read: dict[SecretScope, dict[str, str]] = {}
        # What is being stored meanwhile would replace what was read.
        async with self._changing:
            for row in await self._pool.fetch(_OF_USER, user_id):
                read.setdefault(_scope(row), {})[row["name"]] = row["value"]
            self.replace({**self._without(user_id), **read})

    def unload(self, user_id: str) -> None:
        """Forget the secrets of a user whose home has left."""
        self.replace(self._without(user_id))

    async def write(self, by_scope: Mapping[SecretScope, Mapping[str, str]]) -> None:
        """Store what differs from what is known."""
        known = self.by_scope
        changed = [it for it in {**known, **by_scope} if known.get(it, {}) != by_scope.get(it, {})]
        for user_id in {scope.user_id for scope in changed}:
            scopes = [scope for scope in changed if scope.user_id == user_id]
            transaction = self._homes.fenced(user_id) if user_id else self._pool.transaction()
            async with transaction as connection:
                await _store(connection, scopes, by_scope)
                if not user_id:
                    await connection.execute(_ANNOUNCE, FOR_ALL)

    def _without(self, user_id: str) -> Mapping[SecretScope, Mapping[str, str]]:
        return {scope: values for scope, values in self.by_scope.items() if scope.user_id != user_id}

    def _changed_elsewhere(self, _user_id: str) -> None:
        reading = asyncio.ensure_future(self.load(FOR_ALL))
        self._reading.add(reading)
        reading.add_done_callback(self._reading.discard)


async def _store(
    connection: Any, scopes: Iterable[SecretScope], by_scope: Mapping[SecretScope, Mapping[str, str]]
) -> None:
    for scope in scopes:
        key = (scope.user_id, scope.owner, scope.config or "")
        await connection.execute(_REMOVE, *key)
        await connection.executemany(_ADD, [(*key, *it) for it in by_scope.get(scope, {}).items()])


def _scope(row: Any) -> SecretScope:
    return SecretScope(user_id=row["user_id"], owner=row["owner"], config=row["config"] or None)
