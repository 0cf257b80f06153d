"""A topic's database: opened at its first command, closed when the topic ends."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from stringd.plugin import Refusal, Session, Topic, TopicContext

PLUGIN = "sqlite"
FOLDER = "databases"
MOST_ROWS = 1000
SECONDS = 60.0
_STEPS = 10_000
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The result of a statement: its columns and rows, or the number of changed rows."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    more: bool
    changed: int


class Database(Topic):
    """One connection, used in one thread; transactions last from command to command."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._path = _path(session, _kept_name(session))
        self._thread = ThreadPoolExecutor(1, f"sqlite-{session.name.name}")
        self._connection: sqlite3.Connection | None = None
        self._deadline = 0.0

    def info(self) -> Mapping[str, str]:
        """Return the file, and whether a transaction is open."""
        is_open = self._connection is not None and self._connection.in_transaction
        return {"database": f"{FOLDER}/{self._path.name}", "transaction": "open" if is_open else "none"}

    async def open(self) -> None:
        """Connect, or refuse."""
        await self._in_thread(self._open)

    async def use(self, name: str) -> None:
        """Switch to another database of the user, also after restarts."""
        before, self._path = self._path, _path(self._session, name)
        try:
            await self._in_thread(self._reopen)
        except Refusal:
            self._path = before
            raise
        self._session.data[PLUGIN] = {"database": name}

    async def execute(self, statement: str, *values: str) -> Rows:
        """Run one statement, or refuse with SQLite's message."""
        self._deadline = time.monotonic() + SECONDS
        try:
            return await self._in_thread(lambda: self._execute(statement, values))
        except asyncio.CancelledError:
            # The result is no longer awaited; the next check of the deadline ends the statement.
            self._deadline = 0.0
            raise

    async def close(self) -> None:
        """Roll back uncommitted changes, and disconnect."""
        self._deadline = 0.0
        await self._in_thread(self._close)
        self._thread.shutdown(wait=False)

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except (sqlite3.Error, sqlite3.Warning, OSError) as error:
            raise Refusal("SQL_ERROR", str(error)) from error

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            # A file that is not a database is detected when it is read.
            connection.execute("PRAGMA schema_version")
        except sqlite3.Error:
            connection.close()
            raise
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(lambda: time.monotonic() > self._deadline, _STEPS)
        self._connection = connection

    def _reopen(self) -> None:
        before, self._connection = self._connection, None
        try:
            self._open()
        except BaseException:
            self._connection = before
            raise
        if before is not None:
            before.close()

    def _execute(self, statement: str, values: Sequence[str]) -> Rows:
        assert self._connection is not None
        cursor = self._connection.execute(statement, values)
        found = cursor.fetchmany(MOST_ROWS + 1)
        columns = [name for name, *_ in cursor.description or ()]
        changed = cursor.rowcount
        cursor.close()
        return Rows(columns=columns, rows=found[:MOST_ROWS], more=len(found) > MOST_ROWS, changed=changed)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _kept_name(session: Session) -> str:
    kept: str = session.data.get(PLUGIN, {}).get("database", session.name.name)
    return kept


def _path(session: Session, name: str) -> Path:
    return session.user.home / FOLDER / f"{name}.db"


def _authorize(action: int, *_: object) -> int:
    # Another file could be outside of what the user may access.
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK


@asynccontextmanager
async def open_database(context: TopicContext) -> AsyncIterator[Topic]:
    """Open the database of a topic until the topic ends."""
    database = Database(context.session)
    await database.open()
    try:
        yield database
    finally:
        await database.close()
