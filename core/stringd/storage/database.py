"""A SQLite file in the data directory, accessed from a thread of its own to keep the loop responsive."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, TypeVarTuple, Unpack

from stringd.errors import Fault, StorageFailed
from stringd.files.protected import SQLITE_PARTS
from stringd.files.regular_files import NotRegular, require_file
from stringd.storage.data_directory import PRIVATE, set_aside

log = logging.getLogger(__name__)

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

BUSY_SECONDS = 1.0
Value: TypeAlias = str | bytes | int | None
Statement: TypeAlias = tuple[str, Sequence[Value]]


class Database:
    """Executes statements on one database file; a broken file is replaced by an empty one."""

    def __init__(self, file: str, schema: str, report: Callable[[str], None], lost: str) -> None:
        self._schema = schema
        self._report = report
        self._lost = lost
        self._thread = ThreadPoolExecutor(1, f"stringd-{Path(file).stem}")
        self._database: sqlite3.Connection | None = None
        self._path = Path(file)

    def open(self, data_dir: Path, statement: str) -> list[Any]:
        """Open the file and return the rows of a statement; set aside and report a broken file."""
        path = self._path = data_dir / self._path.name
        self._require_file(path)
        # SQLite keeps its additional files beside the target of a link.
        real = Path(os.path.realpath(path))
        for part in SQLITE_PARTS:
            self._require_file(real.with_name(real.name + part))
        try:
            return self._read(statement)
        except (OSError, sqlite3.OperationalError) as error:
            raise Fault(f"cannot use {path}: {error}") from error
        except sqlite3.DatabaseError as error:
            self.close()
            kept = _set_aside(path)
            self._report(f"{path} was broken ({error}); it is kept as {kept}, {self._lost}")
            return self._read(statement)

    def _require_file(self, path: Path) -> None:
        """Set aside a link to anything but a regular file, which SQLite would open regardless."""
        try:
            require_file(path)
        except NotRegular as error:
            kept = set_aside(path)
            self._report(
                f"{path} led to no regular file ({error.strerror}); it is kept as {kept}, {self._lost}"
            )

    def close(self) -> None:
        """Finish pending statements and close the file."""
        self._thread.submit(self._close).result()

    async def execute(self, statement: str, *values: Value) -> list[Any]:
        """Run a statement and return its rows, or raise `StorageFailed`."""
        return await self._in_thread(self._execute, statement, values)

    def submit(self, statement: str, *values: Value) -> None:
        """Run a statement later; log if it fails."""
        self._thread.submit(self._execute, statement, values).add_done_callback(self._log_failure)

    def _log_failure(self, executed: Future[list[Any]]) -> None:
        if error := executed.exception():
            log.warning("%s can't be used: %s", self._path, error)

    async def transact(self, statements: Sequence[Statement]) -> None:
        """Run all statements or none of them; raise `StorageFailed` if they fail."""
        await self._in_thread(self._transact, statements)

    async def _in_thread(self, work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments) -> T:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, work, *arguments)
        except sqlite3.Error as error:
            log.warning("%s can't be used: %s", self._path, error)
            raise StorageFailed(f"cannot write {self._path}: {error}") from error

    def _read(self, statement: str) -> list[Any]:
        self._database = _connect(self._path, self._schema)
        return self._database.execute(statement).fetchall()

    def _execute(self, statement: str, values: Sequence[Value]) -> list[Any]:
        # SQLite would keep writing to a deleted file.
        if self._database is None or not self._path.exists():
            raise sqlite3.OperationalError("the file is gone")
        return self._database.execute(statement, values).fetchall()

    def _transact(self, statements: Sequence[Statement]) -> None:
        self._execute("BEGIN IMMEDIATE", ())
        assert self._database is not None
        try:
            for statement, values in statements:
                self._database.execute(statement, values)
            self._database.execute("COMMIT")
        except BaseException:
            # Some errors, such as a full disk, have ended the transaction already.
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def _close(self) -> None:
        if self._database:
            self._database.close()
            self._database = None


def _connect(path: Path, schema: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)
    try:
        path.chmod(PRIVATE)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.executescript(schema)
    except BaseException:
        database.close()
        raise
    return database


def _set_aside(path: Path) -> Path:
    kept = set_aside(path)
    for part in SQLITE_PARTS:
        if path.with_name(path.name + part).exists():
            path.with_name(path.name + part).replace(kept.with_name(kept.name + part))
    return kept
