"""One log in the database, which one node writes at a time."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Sequence

import asyncpg

from stringd.plugin import StorageFailed
from stringd.plugin.stores import LogElsewhere
from stringd_cluster.engine.database_pool import is_passing
from stringd_cluster.homes.owned_homes import OwnedHomes
from stringd_cluster.stores.log_failures import log_failures

log = logging.getLogger(__name__)

_RETRY_SECONDS = 0.1
_END = """
SELECT user_id, (SELECT coalesce(max(number), 0) FROM log_lines WHERE log = $1) AS number
FROM logs WHERE name = $1
"""
_APPEND = """
, written AS (
    INSERT INTO logs (name, user_id, is_over) SELECT $3, $1, $5 FROM own
    ON CONFLICT (name) DO UPDATE SET is_over = excluded.is_over WHERE logs.user_id = excluded.user_id
    RETURNING name
)
INSERT INTO log_lines (log, number, line)
SELECT name, $4 + place, line FROM written, unnest($6::bytea[]) WITH ORDINALITY AS it (line, place)
"""


class StoredLog:
    """Appends lines with consecutive numbers, under the claim by which the home is here; an `AppendLog`."""

    keeps_all = True

    def __init__(self, homes: OwnedHomes, owner: str, name: str) -> None:
        self._homes = homes
        self.owner = owner
        self._name = name
        self._home = homes.get(owner)
        self._number: int | None = None
        self._is_in_doubt = False
        self._turn = asyncio.Lock()

    async def append(self, data: bytes, *, sync: bool, is_over: bool = False) -> None:
        """Store whole lines in one statement; without the database, try again until the home leaves."""
        lines = data.removesuffix(b"\n").split(b"\n")
        async with self._turn:
            with log_failures():
                await self._store(lines, is_over)

    async def settle(self) -> None:
        """Return once what is being appended is stored, or can't be."""
        async with self._turn:
            pass

    async def close(self) -> None:
        """Look at the end of the log again before the next line."""
        self._number = None

    async def _store(self, lines: Sequence[bytes], is_over: bool) -> None:
        while True:
            try:
                await self._try_to_store(lines, is_over)
            except StorageFailed as failure:
                if not is_passing(failure) and not self._has_collided(failure):
                    self._number, self._is_in_doubt = None, False
                    raise
                log.info("the log %s waits for the database: %s", self._name, failure)
            else:
                return
            await asyncio.sleep(_RETRY_SECONDS)

    async def _try_to_store(self, lines: Sequence[bytes], is_over: bool) -> None:
        if self._number is None:
            self._number = await self._end()
        elif self._is_in_doubt and await self._was_stored(lines):
            return
        self._require_home()
        self._is_in_doubt = True
        await self._homes.write(self.owner, _APPEND, self._name, self._number, is_over, lines)
        self._note_stored(lines)

    async def _was_stored(self, lines: Sequence[bytes]) -> bool:
        """Whether an attempt was stored whose answer was lost."""
        assert self._number is not None
        end = await self._end()
        if end == self._number + len(lines):
            self._note_stored(lines)
            return True
        if end != self._number:
            raise self._elsewhere()
        return False

    def _note_stored(self, lines: Sequence[bytes]) -> None:
        assert self._number is not None
        self._number += len(lines)
        self._is_in_doubt = False

    def _has_collided(self, failure: StorageFailed) -> bool:
        """Whether an attempt whose answer was lost has been stored only now."""
        return self._is_in_doubt and isinstance(failure.__cause__, asyncpg.UniqueViolationError)

    async def _end(self) -> int:
        self._require_home()
        async with self._homes.fenced(self.owner) as connection:
            row = await connection.fetchrow(_END, self._name)
        if row is None:
            return 0
        if row["user_id"] != self.owner:
            raise FileExistsError(errno.EEXIST, f"the log {self._name} belongs to another user")
        number: int = row["number"]
        return number

    def _require_home(self) -> None:
        """Raise `LogElsewhere` once the home has left, even if it has come back."""
        if self._home is None or self._homes.get(self.owner) is not self._home:
            raise self._elsewhere()

    def _elsewhere(self) -> LogElsewhere:
        return LogElsewhere(errno.EIO, f"the log {self._name} is written by another node")
