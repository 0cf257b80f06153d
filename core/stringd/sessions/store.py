"""What sessions remember, on disk: a SQLite file that may be lost without losing anything else."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stringd.contracts.documents import Place
from stringd.contracts.sessions import State
from stringd.errors import Fault
from stringd.storage import set_aside

log = logging.getLogger(__name__)

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
    """Saves and forgets in one thread of its own, so that no disk holds up the event loop."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._thread = ThreadPoolExecutor(1, "stringd-sessions")
        self._database = sqlite3.connect(":memory:", check_same_thread=False)

    def open(self, data_dir: Path) -> list[tuple[str, str, State]]:
        """Open the file and return all that it holds; a broken one is kept aside and reported."""
        path = data_dir / FILE
        self._database.close()
        try:
            self._database = _connect(path)
            return list(_decode(self._database))
        except (sqlite3.DatabaseError, ValueError, TypeError, KeyError) as error:
            self._database.close()
            kept = _set_aside(path, error)
            self._report(f"{path} was broken ({error}); it is kept as {kept}, topics start afresh")
            self._database = _connect(path)
            return []

    async def save(self, user_id: str, topic: str, state: State) -> None:
        """Store a session's state."""
        await self._write(_SAVE, user_id, topic, json.dumps(_plain(state), ensure_ascii=True))

    async def remove(self, user_id: str, topic: str) -> None:
        """Forget a session."""
        await self._write(_REMOVE, user_id, topic)

    async def remove_user(self, user_id: str) -> None:
        """Forget all sessions of a user."""
        await self._write(_REMOVE_USER, user_id)

    def close(self) -> None:
        """Finish what is being written and close the file."""
        self._thread.shutdown()
        self._database.close()

    async def _write(self, statement: str, *values: str) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._thread, self._database.execute, statement, values)
        except sqlite3.Error:
            log.exception("a topic's state can't be stored")


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    path.chmod(0o600)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    database.execute(_SCHEMA)
    return database


def _set_aside(path: Path, error: Exception) -> Path:
    try:
        for leftover in ("-wal", "-shm"):
            path.with_name(path.name + leftover).unlink(missing_ok=True)
        return set_aside(path)
    except OSError:
        raise Fault(f"cannot open {path}: {error}") from error


def _plain(state: State) -> dict[str, Any]:
    return {
        "document": asdict(state.document) if state.document else None,
        "history": [asdict(place) for place in state.history],
        "variables": dict(state.variables),
        "directory": state.directory,
    }


def _decode(database: sqlite3.Connection) -> Iterator[tuple[str, str, State]]:
    for user_id, topic, text in database.execute(_ALL):
        plain = json.loads(text)
        document = plain["document"]
        yield (
            user_id,
            topic,
            State(
                document=Place(**document) if document else None,
                history=tuple(Place(**place) for place in plain["history"]),
                variables=dict(plain["variables"]),
                directory=plain["directory"],
            ),
        )
