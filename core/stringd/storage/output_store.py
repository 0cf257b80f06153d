"""The long answers of topics, in a SQLite file."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from stringd.api.outputs import KeptOutput, OutputSummary
from stringd.api.sessions import Session
from stringd.storage.database import Database
from stringd.workers.threads import STORAGE

FILE = "outputs.db"
MOST_OUTPUTS = 10
LARGEST_OF_TOPIC = 16 * 1024 * 1024
"""The most bytes, compressed, that a topic's answers take; the newest is kept all the same."""
LARGEST_OF_ALL = 256 * 1024 * 1024
"""The same for the answers of all topics together."""
# The text comes last: a row's other values are read without it.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS outputs (
    id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, topic TEXT NOT NULL, number INTEGER NOT NULL,
    label TEXT NOT NULL, is_plain INTEGER NOT NULL, characters INTEGER NOT NULL, size INTEGER NOT NULL,
    text BLOB NOT NULL,
    UNIQUE (user_id, topic, number)
)
"""
_ANY = "SELECT number FROM outputs LIMIT 1"
_NEXT = "SELECT coalesce(max(number), 0) + 1 FROM outputs WHERE user_id = ? AND topic = ?"
_ADD = """
INSERT INTO outputs (user_id, topic, number, label, is_plain, characters, size, text)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_TRIM_NUMBER = "DELETE FROM outputs WHERE user_id = ? AND topic = ? AND number <= ?"
_TRIM_TOPIC = """
DELETE FROM outputs WHERE user_id = ?1 AND topic = ?2 AND number < ?3 AND id IN (
    SELECT id FROM (
        SELECT id, sum(size) OVER (ORDER BY number DESC) AS total FROM outputs
        WHERE user_id = ?1 AND topic = ?2
    ) WHERE total > ?4
)
"""
_TRIM_ALL = """
DELETE FROM outputs WHERE id IN (
    SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY id DESC) AS total FROM outputs) WHERE total > ?
)
"""
_FIND = "SELECT label, is_plain, text FROM outputs WHERE user_id = ? AND topic = ? AND number = ?"
_LIST = "SELECT number, label, characters FROM outputs WHERE user_id = ? AND topic = ? ORDER BY number"
_REMOVE = "DELETE FROM outputs WHERE user_id = ? AND topic = ?"
_REMOVE_USER = "DELETE FROM outputs WHERE user_id = ?"


class OutputStore:
    """Stores the last long answers of each topic; implements the `Outputs` protocol that commands use."""

    def __init__(
        self,
        report: Callable[[str], None],
        *,
        largest_of_topic: int = LARGEST_OF_TOPIC,
        largest_of_all: int = LARGEST_OF_ALL,
    ) -> None:
        self._largest_of_topic = largest_of_topic
        self._largest_of_all = largest_of_all
        self._database = Database(FILE, _SCHEMA, report, "what was left out of earlier answers is gone")
        self._numbering = asyncio.Lock()

    def open(self, data_dir: Path) -> None:
        """Open the file; set aside and report a broken one."""
        self._database.open(data_dir, _ANY)

    def close(self) -> None:
        """Finish pending writes and close the file."""
        self._database.close()

    async def keep(self, session: Session, output: KeptOutput) -> int:
        """Store an answer and return its number; beyond the limits, remove the oldest."""
        key = _key(session)
        packed = await STORAGE.run(_packed, output.text)
        values = (output.label, output.is_plain, len(output.text), len(packed), packed)
        async with self._numbering:
            number: int = (await self._database.execute(_NEXT, *key))[0][0]
            await self._database.transact(
                [
                    (_ADD, (*key, number, *values)),
                    (_TRIM_NUMBER, (*key, number - MOST_OUTPUTS)),
                    (_TRIM_TOPIC, (*key, number, self._largest_of_topic)),
                    (_TRIM_ALL, (self._largest_of_all,)),
                ]
            )
        return number

    async def find(self, session: Session, number: int) -> KeptOutput | None:
        """Return the topic's answer of a number, or None."""
        rows = await self._database.execute(_FIND, *_key(session), number)
        if not rows:
            return None
        label, is_plain, packed = rows[0]
        text = await STORAGE.run(_unpacked, packed)
        return KeptOutput(label=label, text=text, is_plain=bool(is_plain))

    async def kept(self, session: Session) -> Sequence[OutputSummary]:
        """List the topic's answers, the oldest first."""
        rows = await self._database.execute(_LIST, *_key(session))
        return [OutputSummary(number=it[0], label=it[1], characters=it[2]) for it in rows]

    async def forget(self, session: Session) -> None:
        """Remove all answers of the topic."""
        await self._database.execute(_REMOVE, *_key(session))

    async def remove_user(self, user_id: str) -> None:
        """Remove all answers of a user."""
        await self._database.execute(_REMOVE_USER, user_id)


def _key(session: Session) -> tuple[str, str]:
    return session.user.id, session.name.text


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode(errors="surrogatepass"), 1)


def _unpacked(packed: bytes) -> str:
    return zlib.decompress(packed).decode(errors="surrogatepass")
