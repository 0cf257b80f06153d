"""The undo steps of topics, in a SQLite file.

The text before an edit is stored as a compressed copy, or as the difference from the text before the last
step if that changed the same long file.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from msgspec import Struct

from stringd.api.sessions import Session
from stringd.api.undo import Step
from stringd.storage.database import Database, Statement, Value
from stringd.text.diff import common_ends
from stringd.text.lru_cache import LruCache
from stringd.text.splicing import splice
from stringd.workers.threads import STORAGE

FILE = "undo.db"
MOST_STEPS = 50
# Up to so many characters, compressing a text takes less time than handing it to a thread.
_SMALL = 16 * 1024
# A difference is stored unless it is longer than this share of the text.
_LARGEST_SHARE = 1 / 4
_SCHEMA = """
CREATE TABLE IF NOT EXISTS edits (
    user_id TEXT NOT NULL, topic TEXT NOT NULL, number INTEGER NOT NULL,
    path BLOB NOT NULL, before BLOB, after TEXT NOT NULL, directories INTEGER NOT NULL,
    written INTEGER NOT NULL,
    PRIMARY KEY (user_id, topic, number)
);
CREATE TABLE IF NOT EXISTS details (
    user_id TEXT NOT NULL, topic TEXT NOT NULL, number INTEGER NOT NULL,
    joined INTEGER NOT NULL, charset TEXT NOT NULL, first INTEGER, last INTEGER,
    PRIMARY KEY (user_id, topic, number)
);
CREATE VIEW IF NOT EXISTS firsts AS
SELECT user_id, topic, number, before FROM edits WHERE NOT EXISTS (
    SELECT 1 FROM details WHERE joined
    AND user_id = edits.user_id AND topic = edits.topic AND number = edits.number
);
CREATE TRIGGER IF NOT EXISTS without_details AFTER DELETE ON edits BEGIN
    DELETE FROM details WHERE user_id = old.user_id AND topic = old.topic AND number = old.number;
END;
"""
UTF_8 = "utf-8"
_NO_DETAIL = (False, UTF_8, None, None)
_JOINED_COLUMN = 5
_ANY = "SELECT number FROM edits LIMIT 1"
_ADD = """
INSERT INTO edits SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5, ?6, ?7
FROM edits WHERE user_id = ?1 AND topic = ?2
"""
# What few steps have: those of an edit of several files are joined to the one before.
_DETAIL = """
INSERT INTO details SELECT ?1, ?2, max(number), ?3, ?4, ?5, ?6 FROM edits WHERE user_id = ?1 AND topic = ?2
"""
# Copies are blobs and differences are text, which builds on the steps back to the newest copy.
_TRIM = """
DELETE FROM edits WHERE user_id = ?1 AND topic = ?2 AND number < (
    SELECT number FROM firsts WHERE user_id = ?1 AND topic = ?2 AND typeof(before) <> 'text' AND number <= (
        SELECT number FROM firsts WHERE user_id = ?1 AND topic = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3
    ) ORDER BY number DESC LIMIT 1
)
"""
_LAST = """
SELECT path, before, after, directories, written, joined, charset, first, last
FROM edits LEFT JOIN details USING (user_id, topic, number)
WHERE user_id = ?1 AND topic = ?2 AND number >= (
    SELECT number FROM firsts WHERE user_id = ?1 AND topic = ?2 AND typeof(before) <> 'text'
    ORDER BY number DESC LIMIT 1
) ORDER BY number DESC
"""
_MARK = """
UPDATE edits SET written = 1 WHERE user_id = ?1 AND topic = ?2
AND number >= (SELECT max(number) FROM firsts WHERE user_id = ?1 AND topic = ?2)
"""
_DROP = """
DELETE FROM edits WHERE user_id = ?1 AND topic = ?2
AND number >= (SELECT max(number) FROM firsts WHERE user_id = ?1 AND topic = ?2)
"""
_REMOVE = "DELETE FROM edits WHERE user_id = ? AND topic = ?"
_REMOVE_USER = "DELETE FROM edits WHERE user_id = ?"


class _Newest(Struct, frozen=True, kw_only=True):
    """The newest step of a topic, and the number of differences that end with it."""

    path: Path
    before: str
    differences: int


class UndoStore:
    """Stores the last edits of each topic; implements the `Undo` protocol that commands use."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._database = Database(FILE, _SCHEMA, report, "earlier edits can't be undone")
        # Changed whenever a statement is handed to the database, which executes them in this order.
        self._newest: LruCache[tuple[str, str], _Newest] = LruCache()

    def open(self, data_dir: Path) -> None:
        """Open the file; set aside and report a broken one."""
        self._database.open(data_dir, _ANY)

    def close(self) -> None:
        """Finish pending writes and close the file."""
        self._database.close()

    async def add(self, session: Session, *steps: Step) -> None:
        """Store an edit; beyond the limit, remove the oldest on which no other builds."""
        key = _key(session)
        known = self._newest.get(key) if len(steps) == 1 else None
        self._newest.remove(key)
        statements = [
            it for step in steps for it in await self._added(key, known, step, step is not steps[0])
        ]
        if len(steps) > 1:
            # Differences build on edits of a single file only.
            self._newest.remove(key)
        try:
            await self._database.transact([*statements, (_TRIM, (*key, MOST_STEPS - 1))])
        except BaseException:
            self._newest.remove(key)
            raise

    async def _added(
        self, key: tuple[str, str], known: _Newest | None, step: Step, joined: bool
    ) -> Sequence[Statement]:
        """Return the statements that store a step, and keep what the next one may be a difference from."""
        difference = _difference(known, step) if known else None
        packed: Value = difference or await _packed(step.before)
        if step.before is not None and len(step.before) > _SMALL and not step.place:
            differences = known.differences + 1 if known and difference else 0
            newest = _Newest(path=step.path, before=step.before, differences=differences)
            self._newest.put(key, newest, len(step.before))
        values = (os.fsencode(step.path), packed, step.after, step.directories, step.written)
        detail = (joined, step.charset, *(step.place or (None, None)))
        return (_ADD, (*key, *values)), *([(_DETAIL, (*key, *detail))] if detail != _NO_DETAIL else [])

    async def mark(self, session: Session) -> None:
        """Mark the topic's newest edit as written to its file, in the order of calls but without waiting."""
        self._database.submit(_MARK, *_key(session))

    async def last(self, session: Session) -> Sequence[Step]:
        """Return the steps of the topic's newest edit, the last one first."""
        rows = await self._database.execute(_LAST, *_key(session))
        first = next((number for number, row in enumerate(rows) if not row[_JOINED_COLUMN]), None)
        if first is None:
            return ()
        if first:
            return [await _step(row, row) for row in rows[: first + 1]]
        return (await _step(rows[0], *reversed(rows)),)

    async def drop(self, session: Session) -> None:
        """Remove the topic's newest edit."""
        await self._delete(_DROP, session)

    async def forget(self, session: Session) -> None:
        """Remove all edits of the topic."""
        await self._delete(_REMOVE, session)

    async def _delete(self, statement: str, session: Session) -> None:
        key = _key(session)
        self._newest.remove(key)
        await self._database.execute(statement, *key)

    async def remove_user(self, user_id: str) -> None:
        """Remove all edits of a user."""
        self._newest = LruCache()
        await self._database.execute(_REMOVE_USER, user_id)


async def _step(row: Sequence[Any], *since_copy: Sequence[Any]) -> Step:
    """Return a stored step, with the text that its copy and the differences since then make."""
    path, _, after, directories, written, _, charset, first, last = row
    return Step(
        path=Path(os.fsdecode(path)),
        before=await STORAGE.run(_restored, *(it[1] for it in since_copy)),
        after=after,
        directories=directories,
        written=bool(written),
        charset=charset or UTF_8,
        place=None if first is None else (first, last),
    )


def _key(session: Session) -> tuple[str, str]:
    return session.user.id, str(session.name)


def _difference(known: _Newest, step: Step) -> str | None:
    """Return how the text before a step differs from that before the newest one; None to store a copy."""
    if step.before is None or step.place or step.path != known.path or known.differences >= MOST_STEPS:
        return None
    head, tail = common_ends(known.before, step.before)
    changed = step.before[head : len(step.before) - tail]
    if len(changed) > _LARGEST_SHARE * len(step.before):
        return None
    return json.dumps([head, len(known.before) - tail, changed])


def _restored(whole: bytes | None, *differences: str) -> str | None:
    """Return a text from a copy and the differences that follow it; None if there was no file."""
    if whole is None:
        return None
    text = zlib.decompress(whole).decode()
    return reduce(lambda it, difference: splice(it, [json.loads(difference)]), differences, text)


async def _packed(text: str | None) -> bytes | None:
    if text is None or len(text) <= _SMALL:
        return None if text is None else _compressed(text)
    return await STORAGE.run(_compressed, text)


def _compressed(text: str) -> bytes:
    return zlib.compress(text.encode(), 1)
