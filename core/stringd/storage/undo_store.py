"""The undo steps of topics, in a SQLite file.

The text before an edit is stored as a compressed copy, or as the difference from the text before the last
step if that changed the same long file.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from stringd.api.sessions import Session
from stringd.api.undo import Step
from stringd.storage.database import Database, Value
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
)
"""
_ANY = "SELECT number FROM edits LIMIT 1"
_ADD = """
INSERT INTO edits SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5, ?6, ?7
FROM edits WHERE user_id = ?1 AND topic = ?2
"""
# Copies are blobs and differences are text, which builds on the steps back to the newest copy.
_TRIM = """
DELETE FROM edits WHERE user_id = ?1 AND topic = ?2 AND number < (
    SELECT number FROM edits WHERE user_id = ?1 AND topic = ?2 AND typeof(before) <> 'text'
    AND number <= (SELECT max(number) FROM edits WHERE user_id = ?1 AND topic = ?2) - ?3 + 1
    ORDER BY number DESC LIMIT 1
)
"""
_LAST = """
SELECT path, before, after, directories, written FROM edits
WHERE user_id = ?1 AND topic = ?2 AND number >= (
    SELECT number FROM edits WHERE user_id = ?1 AND topic = ?2 AND typeof(before) <> 'text'
    ORDER BY number DESC LIMIT 1
) ORDER BY number DESC
"""
_MARK = """
UPDATE edits SET written = 1 WHERE user_id = ?1 AND topic = ?2
AND number = (SELECT max(number) FROM edits WHERE user_id = ?1 AND topic = ?2)
"""
_DROP = """
DELETE FROM edits WHERE user_id = ?1 AND topic = ?2
AND number = (SELECT max(number) FROM edits WHERE user_id = ?1 AND topic = ?2)
"""
_REMOVE = "DELETE FROM edits WHERE user_id = ? AND topic = ?"
_REMOVE_USER = "DELETE FROM edits WHERE user_id = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Newest:
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

    async def add(self, session: Session, step: Step) -> None:
        """Store an edit; beyond the limit, remove the oldest on which no other builds."""
        key = _key(session)
        known = self._newest.get(key)
        difference = _difference(known, step) if known else None
        packed: Value = difference or await _packed(step.before)
        self._newest.remove(key)
        if step.before is not None and len(step.before) > _SMALL:
            differences = known.differences + 1 if known and difference else 0
            newest = _Newest(path=step.path, before=step.before, differences=differences)
            self._newest.put(key, newest, len(step.before))
        values = (os.fsencode(step.path), packed, step.after, step.directories, step.written)
        try:
            await self._database.transact([(_ADD, (*key, *values)), (_TRIM, (*key, MOST_STEPS))])
        except BaseException:
            self._newest.remove(key)
            raise

    async def mark(self, session: Session) -> None:
        """Mark the topic's newest edit as written to its file."""
        await self._database.execute(_MARK, *_key(session))

    async def last(self, session: Session) -> Step | None:
        """Return the topic's newest edit, or None."""
        rows = await self._database.execute(_LAST, *_key(session))
        if not rows:
            return None
        path, _, after, directories, written = rows[0]
        before = await STORAGE.run(_restored, *(packed for _, packed, *_ in reversed(rows)))
        return Step(
            path=Path(os.fsdecode(path)),
            before=before,
            after=after,
            directories=directories,
            written=bool(written),
        )

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


def _key(session: Session) -> tuple[str, str]:
    return session.user.id, str(session.name)


def _difference(known: _Newest, step: Step) -> str | None:
    """Return how the text before a step differs from that before the newest one; None to store a copy."""
    if step.before is None or step.path != known.path or known.differences >= MOST_STEPS:
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
