"""The `$NAME`s of users, in the database; those of the node's homes are kept in memory, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stringd.plugin import SecretScope
from stringd.plugin.stores import PLUGIN_OWNER, PluginSecret, ScopedSecrets, plugin_secret
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.homes.owned_homes import OwnedHomes
from stringd_cluster.stores.changes_elsewhere import ChangesElsewhere

FOR_ALL = ""
"""In place of a user: the secrets for plugins that are for all users, which every node has."""
_OF_USER = "SELECT user_id, owner, config, name, value FROM secrets WHERE user_id = $1"
_REMOVE = "DELETE FROM secrets WHERE user_id = $1 AND owner = $2 AND config = $3 AND name = $4"
_SET = """
INSERT INTO secrets (user_id, owner, config, name, value) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (user_id, owner, config, name) DO UPDATE SET value = excluded.value
"""
_FOR_PLUGINS = """
SELECT DISTINCT user_id, owner, name FROM secrets WHERE starts_with(owner, $1) ORDER BY user_id, owner, name
"""
_ANNOUNCE = "SELECT pg_notify('stringd_secrets', $1)"


class SecretTable(ScopedSecrets):
    """Stores the secrets of the node's homes; implements `SecretStore`."""

    def __init__(self, pool: ConnectionPool, homes: OwnedHomes, notifications: Notifications) -> None:
        super().__init__()
        self._pool = pool
        self._homes = homes
        changes = ChangesElsewhere(self.load, "the secrets for all users can't be read")
        notifications.listen("stringd_secrets", lambda _: changes.add(FOR_ALL))

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
                for scope in scopes:
                    await _store(connection, scope, known.get(scope, {}), by_scope.get(scope, {}))
                if not user_id:
                    await connection.execute(_ANNOUNCE, FOR_ALL)

    async def all_plugin_secrets(self) -> Sequence[PluginSecret]:
        """Return those of all nodes, and of homes that no node has now."""
        rows = await self._pool.fetch(_FOR_PLUGINS, PLUGIN_OWNER)
        return [plugin_secret(it["user_id"], it["owner"], it["name"]) for it in rows]

    async def set_plugin_secret(self, secret: PluginSecret, value: str) -> bool:
        """Store a secret for plugins; one for all users in place of what other nodes have stored by now."""
        await self._read_others(secret)
        return await super().set_plugin_secret(secret, value)

    async def remove_plugin_secret(self, secret: PluginSecret) -> bool:
        """Remove a secret for plugins, likewise."""
        await self._read_others(secret)
        return await super().remove_plugin_secret(secret)

    async def _read_others(self, secret: PluginSecret) -> None:
        """Learn what is stored, as only what differs from what is known is written."""
        if secret.user_id is None:
            await self.load(FOR_ALL)

    def _without(self, user_id: str) -> Mapping[SecretScope, Mapping[str, str]]:
        return {scope: values for scope, values in self.by_scope.items() if scope.user_id != user_id}


async def _store(
    connection: Any, scope: SecretScope, before: Mapping[str, str], after: Mapping[str, str]
) -> None:
    """Store what has changed only: other nodes may have added names to a scope for all users."""
    key = (scope.user_id, scope.owner, scope.config or "")
    await connection.executemany(_REMOVE, [(*key, name) for name in before.keys() - after.keys()])
    changed = [it for it in after.items() if it not in before.items()]
    await connection.executemany(_SET, [(*key, *it) for it in changed])


def _scope(row: Any) -> SecretScope:
    return SecretScope(user_id=row["user_id"], owner=row["owner"], config=row["config"] or None)
