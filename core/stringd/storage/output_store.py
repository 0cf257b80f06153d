"""The long answers of topics, in a SQLite file."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from stringd.api.outputs import KeptOutput, OutputSummary, PiecedOutput, TextPiece
from stringd.api.sessions import Session
from stringd.errors import StorageFailed
from stringd.storage.database import Database, Statement
from stringd.workers.threads import STORAGE

FILE = "outputs.db"
MOST_OUTPUTS = 10
LARGEST_OF_TOPIC = 64 * 1024 * 1024
"""The most bytes, compressed, that a topic's answers take; the newest is kept all the same."""
LARGEST_OF_ALL = 512 * 1024 * 1024
"""The same for the answers of all topics together."""
# What `is_plain` says of a text: what a program has printed is also plain.
_MARKDOWN, _PRINTED, _PLAIN = range(3)
# The text comes last: a row's other values are read without it.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS outputs (
    id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, topic TEXT NOT NULL, number INTEGER NOT NULL,
    label TEXT NOT NULL, is_plain INTEGER NOT NULL, characters INTEGER NOT NULL, size INTEGER NOT NULL,
    text BLOB NOT NULL,
    UNIQUE (user_id, topic, number)
);
CREATE TABLE IF NOT EXISTS pieces (
    output INTEGER NOT NULL, number INTEGER NOT NULL,
    characters INTEGER NOT NULL, line_ends INTEGER NOT NULL, text BLOB NOT NULL,
    PRIMARY KEY (output, number)
);
CREATE TRIGGER IF NOT EXISTS remove_pieces AFTER DELETE ON outputs
BEGIN DELETE FROM pieces WHERE output = OLD.id; END;
"""
# What was being stored when the daemon was killed was never referred to.
_ANY = "DELETE FROM outputs WHERE characters = 0 RETURNING number"
_NEXT = "SELECT coalesce(max(number), 0) + 1 FROM outputs WHERE user_id = ? AND topic = ?"
_ADD = """
INSERT INTO outputs (user_id, topic, number, label, is_plain, characters, size, text)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_BEGIN = """
INSERT INTO outputs (user_id, topic, number, label, is_plain, characters, size, text)
VALUES (?, ?, ?, ?, 1, 0, 0, x'') RETURNING id
"""
_ADD_PIECE = "INSERT INTO pieces (output, number, characters, line_ends, text) VALUES (?, ?, ?, ?, ?)"
_FINISH = "UPDATE outputs SET characters = ?, size = ? WHERE id = ?"
_ABANDON = "DELETE FROM outputs WHERE id = ?"
_PIECES = "SELECT characters, line_ends FROM pieces WHERE output = ? ORDER BY number"
_PIECE = "SELECT text FROM pieces WHERE output = ? AND number = ?"
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
_FIND = """
SELECT id, label, is_plain, text FROM outputs
WHERE user_id = ? AND topic = ? AND number = ? AND characters > 0
"""
_LIST = """
SELECT number, label, characters FROM outputs
WHERE user_id = ? AND topic = ? AND characters > 0 ORDER BY number
"""
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
        kind = _PRINTED if output.is_printed else _PLAIN if output.is_plain else _MARKDOWN
        values = (output.label, kind, len(output.text), len(packed), packed)
        async with self._numbering:
            number: int = (await self._database.execute(_NEXT, *key))[0][0]
            added = (_ADD, (*key, number, *values))
            await self._database.transact([added, *self._trims(key, number)])
        return number

    async def keep_pieces(self, session: Session, label: str, pieces: Iterator[str]) -> int:
        """Store an output piece by piece, and return its number; until then, nobody finds it."""
        key = _key(session)
        async with self._numbering:
            number: int = (await self._database.execute(_NEXT, *key))[0][0]
            output: int = (await self._database.execute(_BEGIN, *key, number, label))[0][0]
        try:
            characters, size = await self._add_pieces(output, pieces)
            finished = (_FINISH, (characters, size, output))
            await self._database.transact([finished, *self._trims(key, number)])
        except BaseException:
            # Without waiting: this may be a cancellation, or the failure of the file itself.
            self._database.submit(_ABANDON, output)
            raise
        return number

    async def find(self, session: Session, number: int) -> KeptOutput | PiecedOutput | None:
        """Return the topic's answer of a number, or None."""
        rows = await self._database.execute(_FIND, *_key(session), number)
        if not rows:
            return None
        id_, label, kind, packed = rows[0]
        if not packed:
            pieces = await self._database.execute(_PIECES, id_)
            found = [TextPiece(characters=it[0], line_ends=it[1]) for it in pieces]
            return PiecedOutput(id=id_, label=label, pieces=found)
        text = await STORAGE.run(_unpacked, packed)
        is_plain = kind != _MARKDOWN
        return KeptOutput(label=label, text=text, is_plain=is_plain, is_printed=kind == _PRINTED)

    async def piece(self, output: PiecedOutput, index: int) -> str:
        """Return a piece of an output; raise `StorageFailed` if it has been removed meanwhile."""
        rows = await self._database.execute(_PIECE, output.id, index)
        if not rows:
            raise StorageFailed("newer outputs have taken the place of this one")
        return await STORAGE.run(_unpacked, rows[0][0])

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

    async def _add_pieces(self, output: int, pieces: Iterator[str]) -> tuple[int, int]:
        """Store the pieces; return how many characters they have, and how many bytes they take."""
        number = characters = size = 0
        while piece := await STORAGE.run(_next_piece, pieces):
            info, packed = piece
            row = (output, number, info.characters, info.line_ends, packed)
            await self._database.execute(_ADD_PIECE, *row)
            number, characters, size = number + 1, characters + info.characters, size + len(packed)
        return characters, size

    def _trims(self, key: tuple[str, str], number: int) -> Sequence[Statement]:
        """Return the statements that remove the oldest beyond the limits, once an output has a number."""
        return (
            (_TRIM_NUMBER, (*key, number - MOST_OUTPUTS)),
            (_TRIM_TOPIC, (*key, number, self._largest_of_topic)),
            (_TRIM_ALL, (self._largest_of_all,)),
        )


def _key(session: Session) -> tuple[str, str]:
    return session.user.id, session.name.text


def _next_piece(pieces: Iterator[str]) -> tuple[TextPiece, bytes] | None:
    text = next(pieces, None)
    if text is None:
        return None
    return TextPiece(characters=len(text), line_ends=text.count("\n")), _packed(text)


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode(errors="surrogatepass"), 1)


def _unpacked(packed: bytes) -> str:
    return zlib.decompress(packed).decode(errors="surrogatepass")
