"""The stored states of sessions, in a SQLite file of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stringd.api.sessions import State
from stringd.api.stores import StoredSession
from stringd.sessions.stored_states import decode_state, encode_state
from stringd.storage.database import Database, Statement

FILE = "sessions.db"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (
    user_id TEXT NOT NULL, topic TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (user_id, topic)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS plugin_data (
    user_id TEXT NOT NULL, topic TEXT NOT NULL, plugin TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (user_id, topic, plugin)
);
"""
_SAVE = "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)"
_REMOVE = "DELETE FROM sessions WHERE user_id = ? AND topic = ?"
_REMOVE_USER = "DELETE FROM sessions WHERE user_id = ?"
_ALL = """
SELECT user_id, topic, state, EXISTS (
    SELECT 1 FROM plugin_data WHERE plugin_data.user_id = sessions.user_id
    AND plugin_data.topic = sessions.topic
) FROM sessions
"""
_OF_USER = f"{_ALL} WHERE user_id = ?"
_SAVE_DATA = "INSERT OR REPLACE INTO plugin_data VALUES (?, ?, ?, ?)"
_REMOVE_DATA = "DELETE FROM plugin_data WHERE user_id = ? AND topic = ? AND plugin = ?"
_REMOVE_ALL_DATA = "DELETE FROM plugin_data WHERE user_id = ? AND topic = ?"
_REMOVE_USER_DATA = "DELETE FROM plugin_data WHERE user_id = ?"
_DATA = "SELECT plugin, value FROM plugin_data WHERE user_id = ? AND topic = ?"


class LocalSessions:
    """Saves and deletes the states of sessions; implements `SessionStore`."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._database = Database(FILE, _SCHEMA, report, "topics start afresh")

    def open(self, data_dir: Path) -> list[StoredSession]:
        """Open the file and return the stored sessions; move a broken file aside and report it."""
        rows = self._database.open(data_dir, _ALL)
        return self._sessions(rows)

    def close(self) -> None:
        """Finish pending writes and close the file."""
        self._database.close()

    async def of_user(self, user_id: str) -> list[StoredSession]:
        """Return the stored sessions of a user, or raise `StorageFailed`."""
        return self._sessions(await self._database.execute(_OF_USER, user_id))

    async def save(
        self,
        user_id: str,
        topic: str,
        state: State,
        data: Mapping[str, str | None],
        *,
        afresh: bool = False,
    ) -> None:
        """Store a session's state and the values of plugins that changed, or raise `StorageFailed`.

        None in place of a value removes it; `afresh` removes all that an earlier session left.
        """
        key, saved = (user_id, topic), (_SAVE, (user_id, topic, encode_state(state)))
        if not data and not afresh:
            await self._database.execute(saved[0], *saved[1])
            return
        left = [(_REMOVE_ALL_DATA, key)] if afresh else []
        await self._database.transact([saved, *left, *_changes(key, data)])

    async def load_data(self, user_id: str, topic: str) -> Mapping[str, str]:
        """Return the values of plugins, as JSON by the plugins' names, or raise `StorageFailed`."""
        return dict(await self._database.execute(_DATA, user_id, topic))

    async def remove(self, user_id: str, topic: str) -> None:
        """Delete a session, or raise `StorageFailed`."""
        key = (user_id, topic)
        await self._database.transact([(_REMOVE, key), (_REMOVE_ALL_DATA, key)])

    async def remove_user(self, user_id: str) -> None:
        """Delete all sessions of a user, or raise `StorageFailed`."""
        await self._database.transact([(_REMOVE_USER, (user_id,)), (_REMOVE_USER_DATA, (user_id,))])

    def _sessions(self, rows: Iterable[Any]) -> list[StoredSession]:
        return [session for row in rows if (session := self._session(*row))]

    def _session(self, user_id: str, topic: str, text: str, has_data: int) -> StoredSession | None:
        try:
            state = decode_state(text)
        except ValueError as error:
            self._report(f"the topic {user_id}:{topic} can't be restored ({error}); it starts empty")
            return None
        return StoredSession(user_id=user_id, topic=topic, state=state, has_data=bool(has_data))


def _changes(key: tuple[str, str], data: Mapping[str, str | None]) -> Sequence[Statement]:
    return [
        (_REMOVE_DATA, (*key, plugin)) if value is None else (_SAVE_DATA, (*key, plugin, value))
        for plugin, value in data.items()
    ]
