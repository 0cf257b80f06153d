"""The undo steps of topics, in a SQLite file."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path

from stringd.api.sessions import Session
from stringd.api.undo import Step
from stringd.storage.database import Database
from stringd.workers.threads import STORAGE

FILE = "undo.db"
MOST_STEPS = 50
# Up to so many characters, compressing a text takes less time than handing it to a thread.
_SMALL = 16 * 1024
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
_TRIM = """
DELETE FROM edits WHERE user_id = ?1 AND topic = ?2
AND number <= (SELECT max(number) FROM edits WHERE user_id = ?1 AND topic = ?2) - ?3
"""
_LAST = """
SELECT path, before, after, directories, written FROM edits
WHERE user_id = ? AND topic = ? ORDER BY number DESC LIMIT 1
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


class UndoStore:
    """Stores the last edits of each topic; implements the `Undo` protocol that commands use."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._database = Database(FILE, _SCHEMA, report, "earlier edits can't be undone")

    def open(self, data_dir: Path) -> None:
        """Open the file; set aside and report a broken one."""
        self._database.open(data_dir, _ANY)

    def close(self) -> None:
        """Finish pending writes and close the file."""
        self._database.close()

    async def add(self, session: Session, step: Step) -> None:
        """Store an edit; beyond the limit, remove the oldest."""
        before = None if step.before is None else await _packed(step.before)
        values = (os.fsencode(step.path), before, step.after, step.directories, step.written)
        key = _key(session)
        await self._database.transact([(_ADD, (*key, *values)), (_TRIM, (*key, MOST_STEPS))])

    async def mark(self, session: Session) -> None:
        """Mark the topic's newest edit as written to its file."""
        await self._database.execute(_MARK, *_key(session))

    async def last(self, session: Session) -> Step | None:
        """Return the topic's newest edit, or None."""
        rows = await self._database.execute(_LAST, *_key(session))
        if not rows:
            return None
        path, packed, after, directories, written = rows[0]
        before = None if packed is None else await STORAGE.run(_unpacked, packed)
        return Step(
            path=Path(os.fsdecode(path)),
            before=before,
            after=after,
            directories=directories,
            written=bool(written),
        )

    async def drop(self, session: Session) -> None:
        """Remove the topic's newest edit."""
        await self._database.execute(_DROP, *_key(session))

    async def forget(self, session: Session) -> None:
        """Remove all edits of the topic."""
        await self._database.execute(_REMOVE, *_key(session))

    async def remove_user(self, user_id: str) -> None:
        """Remove all edits of a user."""
        await self._database.execute(_REMOVE_USER, user_id)


def _key(session: Session) -> tuple[str, str]:
    return session.user.id, str(session.name)


async def _packed(text: str) -> bytes:
    return _compressed(text) if len(text) <= _SMALL else await STORAGE.run(_compressed, text)


def _compressed(text: str) -> bytes:
    return zlib.compress(text.encode(), 1)


def _unpacked(packed: bytes) -> str:
    return zlib.decompress(packed).decode()
