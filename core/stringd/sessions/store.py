"""What sessions remember, on disk: a SQLite file that may be lost without losing anything else."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stringd.contracts.sessions import Place, State
from stringd.errors import Fault, StorageFailed
from stringd.storage import set_aside

log = logging.getLogger(__name__)

FILE = "sessions.db"
BUSY_SECONDS = 1.0
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
        self._database: sqlite3.Connection | None = None
        self._path = Path(FILE)

    def open(self, data_dir: Path) -> list[tuple[str, str, State]]:
        """Open the file and return all that it holds; a broken one is kept aside and reported."""
        path = self._path = data_dir / FILE
        try:
            return self._read(path)
        except (OSError, sqlite3.OperationalError) as error:
            raise Fault(f"cannot use {path}: {error}") from error
        except sqlite3.DatabaseError as error:
            self.close()
            kept = _set_aside(path)
            self._report(f"{path} was broken ({error}); it is kept as {kept}, topics start afresh")
            return self._read(path)

    async def save(self, user_id: str, topic: str, state: State) -> None:
        """Store a session's state, or raise `StorageFailed`."""
        await self._write(_SAVE, user_id, topic, json.dumps(_plain(state)))

    async def remove(self, user_id: str, topic: str) -> None:
        """Forget a session, or raise `StorageFailed`."""
        await self._write(_REMOVE, user_id, topic)

    async def remove_user(self, user_id: str) -> None:
        """Forget all sessions of a user, or raise `StorageFailed`."""
        await self._write(_REMOVE_USER, user_id)

    def close(self) -> None:
        """Finish what is being written and close the file."""
        self._thread.submit(self._close).result()

    def _close(self) -> None:
        if self._database:
            self._database.close()
            self._database = None

    def _read(self, path: Path) -> list[tuple[str, str, State]]:
        self._database = _connect(path)
        rows = self._database.execute(_ALL).fetchall()
        return [row for user_id, topic, text in rows if (row := self._row(user_id, topic, text))]

    def _row(self, user_id: str, topic: str, text: str) -> tuple[str, str, State] | None:
        try:
            return user_id, topic, _state(json.loads(text))
        except (ValueError, TypeError, AttributeError) as error:
            self._report(f"the topic {user_id}:{topic} can't be restored ({error}); it starts afresh")
            return None

    async def _write(self, statement: str, *values: str) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._thread, self._execute, statement, values)
        except sqlite3.Error as error:
            log.warning("topics can't be stored: %s", error)
            raise StorageFailed(f"cannot write {self._path}: {error}") from error

    def _execute(self, statement: str, values: tuple[str, ...]) -> None:
        # SQLite would go on writing to a file that is there no more.
        if self._database is None or not self._path.exists():
            raise sqlite3.OperationalError("the file is gone")
        self._database.execute(statement, values)


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)
    try:
        path.chmod(0o600)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute(_SCHEMA)
    except BaseException:
        database.close()
        raise
    return database


def _set_aside(path: Path) -> Path:
    kept = set_aside(path)
    for part in ("-wal", "-shm"):
        if path.with_name(path.name + part).exists():
            path.with_name(path.name + part).replace(kept.with_name(kept.name + part))
    return kept


def _plain(state: State) -> dict[str, Any]:
    return {
        "document": asdict(state.document) if state.document else None,
        "history": [asdict(place) for place in state.history],
        "variables": dict(state.variables),
        "directory": state.directory,
    }


def _state(plain: dict[str, Any]) -> State:
    document = plain.get("document")
    return State(
        document=Place(**document) if document else None,
        history=tuple(Place(**place) for place in plain.get("history", ())),
        variables=dict(plain.get("variables", {})),
        directory=plain.get("directory"),
    )
