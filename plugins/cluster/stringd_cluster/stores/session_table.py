"""The states of topics, in the database."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from stringd.plugin import State
from stringd.plugin.stores import StoredSession, decode_state, encode_state
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.homes.owned_homes import OwnedHomes

log = logging.getLogger(__name__)

# What else the node does, such as renewing its lease, must not wait for a large home.
_READ_AT_ONCE = 100
_SAVE = """
INSERT INTO sessions SELECT $1, $3, $4 FROM own
ON CONFLICT (user_id, topic) DO UPDATE SET state = excluded.state
"""
_SAVE_IN_TRANSACTION = """
INSERT INTO sessions VALUES ($1, $2, $3) ON CONFLICT (user_id, topic) DO UPDATE SET state = excluded.state
"""
_SAVE_DATA = """
INSERT INTO plugin_data VALUES ($1, $2, $3, $4)
ON CONFLICT (user_id, topic, plugin) DO UPDATE SET value = excluded.value
"""
_REMOVE_DATA = "DELETE FROM plugin_data WHERE user_id = $1 AND topic = $2 AND plugin = $3"
_REMOVE_ALL_DATA = "DELETE FROM plugin_data WHERE user_id = $1 AND topic = $2"
_OF_USER = """
SELECT topic, state, EXISTS (
    SELECT 1 FROM plugin_data WHERE plugin_data.user_id = sessions.user_id
    AND plugin_data.topic = sessions.topic
) AS has_data FROM sessions WHERE user_id = $1
"""
_SET_ASIDE = """
WITH damaged AS (DELETE FROM sessions WHERE user_id = $1 AND topic = $2 RETURNING user_id, topic, state)
INSERT INTO damaged_sessions SELECT user_id, topic, state, clock_timestamp() FROM damaged
"""
_OF_TOPIC = ("sessions", "plugin_data", "requests", "damaged_sessions")


class SessionTable:
    """Saves and deletes the states of the topics of this node's homes; implements `SessionStore`."""

    def __init__(self, pool: ConnectionPool, homes: OwnedHomes) -> None:
        self._pool = pool
        self._homes = homes

    def open(self, data_dir: Path) -> Sequence[StoredSession]:
        """Return no topics: a node has none before it claims a home."""
        return ()

    def close(self) -> None:
        """Do nothing: every write is in the database when it returns."""

    async def of_user(self, user_id: str) -> Sequence[StoredSession]:
        """Return the topics of a user."""
        rows = await self._pool.fetch(_OF_USER, user_id)
        sessions: list[StoredSession] = []
        for first in range(0, len(rows), _READ_AT_ONCE):
            for row in rows[first : first + _READ_AT_ONCE]:
                try:
                    sessions.append(_session(user_id, **row))
                except ValueError as error:
                    await self._set_aside(user_id, row["topic"], error)
            await asyncio.sleep(0)
        return sessions

    async def save(
        self, user_id: str, topic: str, state: State, data: Mapping[str, str | None], *, afresh: bool = False
    ) -> None:
        """Store a topic's state, and what plugins changed."""
        text = encode_state(state)
        if not data and not afresh:
            await self._homes.write(user_id, _SAVE, topic, text)
            return
        async with self._homes.fenced(user_id) as connection:
            await connection.execute(_SAVE_IN_TRANSACTION, user_id, topic, text)
            if afresh:
                await connection.execute(_REMOVE_ALL_DATA, user_id, topic)
            for plugin, value in data.items():
                if value is None:
                    await connection.execute(_REMOVE_DATA, user_id, topic, plugin)
                else:
                    await connection.execute(_SAVE_DATA, user_id, topic, plugin, value)

    async def _set_aside(self, user_id: str, topic: str, error: ValueError) -> None:
        """Keep a state that can't be read, such as one of a later version, where nothing overwrites it."""
        async with self._homes.fenced(user_id) as connection:
            await connection.execute(_SET_ASIDE, user_id, topic)
        log.error(
            "the topic %s:%s can't be restored (%s); it starts empty, and its state is in the table "
            "damaged_sessions",
            *(user_id, topic, error),
        )

    async def load_data(self, user_id: str, topic: str) -> Mapping[str, str]:
        """Return the values of plugins for a topic."""
        statement = "SELECT plugin, value FROM plugin_data WHERE user_id = $1 AND topic = $2"
        return {it["plugin"]: it["value"] for it in await self._pool.fetch(statement, user_id, topic)}

    async def remove(self, user_id: str, topic: str) -> None:
        """Delete a topic."""
        async with self._homes.fenced(user_id) as connection:
            for table in _OF_TOPIC:
                statement = f"DELETE FROM {table} WHERE user_id = $1 AND topic = $2"  # noqa: S608
                await connection.execute(statement, user_id, topic)

    async def remove_user(self, user_id: str) -> None:
        """Delete all topics of a user."""
        async with self._homes.fenced(user_id) as connection:
            for table in _OF_TOPIC:
                await connection.execute(f"DELETE FROM {table} WHERE user_id = $1", user_id)  # noqa: S608


def _session(user_id: str, topic: str, state: str, has_data: bool) -> StoredSession:
    """Return a stored session, or raise `ValueError`."""
    return StoredSession(user_id=user_id, topic=topic, state=decode_state(state), has_data=has_data)
