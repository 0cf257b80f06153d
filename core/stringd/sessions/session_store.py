"""The stored states of sessions, in a SQLite file of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stringd.api.sessions import State
from stringd.sessions.stored_locations import location_as_json, read_location
from stringd.sessions.stored_names import plain_names, read_names
from stringd.storage.database import Database

FILE = "sessions.db"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (
    user_id TEXT NOT NULL, topic TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (user_id, topic)
) WITHOUT ROWID
"""
_SAVE = "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)"
_REMOVE = "DELETE FROM sessions WHERE user_id = ? AND topic = ?"
_REMOVE_USER = "DELETE FROM sessions WHERE user_id = ?"
_ALL = "SELECT user_id, topic, state FROM sessions"


class SessionStore:
    """Saves and deletes the states of sessions."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._database = Database(FILE, _SCHEMA, report, "topics start afresh")

    def open(self, data_dir: Path) -> list[tuple[str, str, State]]:
        """Open the file and return the stored states; move a broken file aside and report it."""
        rows = self._database.open(data_dir, _ALL)
        return [row for user_id, topic, text in rows if (row := self._row(user_id, topic, text))]

    def close(self) -> None:
        """Finish pending writes and close the file."""
        self._database.close()

    async def save(self, user_id: str, topic: str, state: State) -> None:
        """Store a session's state, or raise `StorageFailed`."""
        await self._database.execute(_SAVE, user_id, topic, json.dumps(_plain(state)))

    async def remove(self, user_id: str, topic: str) -> None:
        """Delete a session, or raise `StorageFailed`."""
        await self._database.execute(_REMOVE, user_id, topic)

    async def remove_user(self, user_id: str) -> None:
        """Delete all sessions of a user, or raise `StorageFailed`."""
        await self._database.execute(_REMOVE_USER, user_id)

    def _row(self, user_id: str, topic: str, text: str) -> tuple[str, str, State] | None:
        try:
            return user_id, topic, _state(json.loads(text))
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            self._report(f"the topic {user_id}:{topic} can't be restored ({error}); it starts afresh")
            return None


def _plain(state: State) -> dict[str, Any]:
    return {
        "document": location_as_json(state.document) if state.document else None,
        "history": [location_as_json(it) for it in state.history],
        "directory": state.directory,
        "seen": dict(state.seen),
        **plain_names(state),
    }


def _state(plain: dict[str, Any]) -> State:
    document = plain.get("document")
    return State(
        document=read_location(document) if document else None,
        history=tuple(map(read_location, plain.get("history", ()))),
        directory=plain.get("directory"),
        seen=dict(plain.get("seen", {})),
        **read_names(plain),
    )
