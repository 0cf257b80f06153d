"""The undo steps of topics, in the database: each with a compressed copy of the text before."""

from __future__ import annotations

import asyncio
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stringd.plugin import Session, Step
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.homes.owned_homes import OwnedHomes

MOST_EDITS = 50
_ADD = """
INSERT INTO edits SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7, $8, $9, $10, $11
FROM edits WHERE user_id = $1 AND topic = $2
"""
# An edit of several files is one step that is not joined, and the joined ones behind it.
_TRIM = """
DELETE FROM edits WHERE user_id = $1 AND topic = $2 AND number < (
    SELECT number FROM edits WHERE user_id = $1 AND topic = $2 AND NOT joined
    ORDER BY number DESC LIMIT 1 OFFSET $3
)
"""
_NEWEST = """
user_id = $1 AND topic = $2 AND number >= (
    SELECT max(number) FROM edits WHERE user_id = $1 AND topic = $2 AND NOT joined
)
"""
_MARK = f"UPDATE edits SET written = true WHERE {_NEWEST}"  # noqa: S608
_DROP = f"DELETE FROM edits WHERE {_NEWEST}"  # noqa: S608
_LAST = f"SELECT * FROM edits WHERE {_NEWEST} ORDER BY number DESC"  # noqa: S608
_FORGET = "DELETE FROM edits WHERE user_id = $1 AND topic = $2"
_FORGET_USER = "DELETE FROM edits WHERE user_id = $1"


class UndoTable:
    """Stores the last edits of each topic; implements `UndoStore`."""

    def __init__(self, pool: ConnectionPool, homes: OwnedHomes) -> None:
        self._pool = pool
        self._homes = homes

    def open(self, data_dir: Path) -> None:
        """Do nothing: the tables are there."""

    def close(self) -> None:
        """Do nothing: every write is in the database when it returns."""

    async def add(self, session: Session, *steps: Step) -> None:
        """Store an edit; beyond the limit, remove the oldest."""
        key = _key(session)
        rows = [(*key, step is not steps[0], *await _values(step)) for step in steps]
        async with self._homes.fenced(session.user.id) as connection:
            for row in rows:
                await connection.execute(_ADD, *row)
            await connection.execute(_TRIM, *key, MOST_EDITS - 1)

    async def mark(self, session: Session) -> None:
        """Mark the topic's newest edit as written to its files."""
        await self._change(session, _MARK)

    async def last(self, session: Session) -> Sequence[Step]:
        """Return the steps of the topic's newest edit, the last one first."""
        return [await _step(row) for row in await self._pool.fetch(_LAST, *_key(session))]

    async def drop(self, session: Session) -> None:
        """Remove the topic's newest edit."""
        await self._change(session, _DROP)

    async def forget(self, session: Session) -> None:
        """Remove all edits of the topic."""
        await self._change(session, _FORGET)

    async def remove_user(self, user_id: str) -> None:
        """Remove all edits of a user."""
        async with self._homes.fenced(user_id) as connection:
            await connection.execute(_FORGET_USER, user_id)

    async def _change(self, session: Session, statement: str) -> None:
        async with self._homes.fenced(session.user.id) as connection:
            await connection.execute(statement, *_key(session))


def _key(session: Session) -> tuple[str, str]:
    return session.user.id, str(session.name)


async def _values(step: Step) -> tuple[object, ...]:
    packed = None if step.before is None else await asyncio.to_thread(_packed, step.before)
    first, last = step.place or (None, None)
    path = os.fsencode(step.path)
    return (path, packed, step.after, step.directories, step.written, step.charset, first, last)


async def _step(row: Any) -> Step:
    packed: bytes | None = row["before"]
    return Step(
        path=Path(os.fsdecode(row["path"])),
        before=None if packed is None else await asyncio.to_thread(_unpacked, packed),
        after=row["after"],
        directories=row["directories"],
        written=row["written"],
        charset=row["charset"],
        place=None if row["first"] is None else (row["first"], row["last"]),
    )


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode(errors="surrogatepass"), 1)


def _unpacked(packed: bytes) -> str:
    return zlib.decompress(packed).decode(errors="surrogatepass")
