"""The long answers of topics: on the disk of the node that gave them, with an index in the database."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stringd.plugin import ErrorCode, KeptOutput, OutputSummary, PiecedOutput, Refusal, Session
from stringd.plugin.stores import OutputStore
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.homes.owned_homes import OwnedHomes
from stringd_cluster.stores.changes_elsewhere import ChangesElsewhere

MOST_OUTPUTS = 10
"""So many answers of a topic are listed, on whatever nodes they are."""
_STAY = "long answers stay on the disk of the node that gave them."
_ADD = """
INSERT INTO outputs SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6
FROM outputs WHERE user_id = $1 AND topic = $2 RETURNING number
"""
_TRIM = "DELETE FROM outputs WHERE user_id = $1 AND topic = $2 AND number <= $3"
_ALL = "SELECT * FROM outputs WHERE user_id = $1 AND topic = $2 ORDER BY number"
_FIND = "SELECT * FROM outputs WHERE user_id = $1 AND topic = $2 AND number = $3"
_FORGET = "DELETE FROM outputs WHERE user_id = $1 AND topic = $2"
_IS_USER = "SELECT 1 FROM users WHERE id = $1"
_FORGET_USER = "DELETE FROM outputs WHERE user_id = $1"


class OutputIndex:
    """Numbers the answers of a topic over all nodes, and knows where each is; implements `OutputStore`."""

    def __init__(
        self,
        pool: ConnectionPool,
        homes: OwnedHomes,
        notifications: Notifications,
        node: str,
        here: OutputStore,
    ) -> None:
        self._pool = pool
        self._homes = homes
        self._node = node
        self._here = here
        self._numbering = asyncio.Lock()
        self._removals = ChangesElsewhere(
            self._remove_if_gone, "the long answers of users who were removed can't be removed"
        )
        notifications.listen("stringd_users", self._user_changed)

    def open(self, data_dir: Path) -> None:
        """Open the answers that this node has given."""
        self._here.open(data_dir)

    def close(self) -> None:
        """Finish pending writes."""
        self._here.close()

    async def keep(self, session: Session, output: KeptOutput) -> int:
        """Store an answer here, and return its number among those of all nodes."""
        return await self._list(session, await self._here.keep(session, output))

    async def keep_pieces(self, session: Session, label: str, pieces: Iterator[str]) -> int:
        """Store a program's output of any length here, and return its number likewise."""
        return await self._list(session, await self._here.keep_pieces(session, label, pieces))

    async def find(self, session: Session, number: int) -> KeptOutput | PiecedOutput | None:
        """Return the topic's answer of a number, or None; refuse it if another node has it."""
        row = await self._pool.fetchrow(_FIND, *_key(session), number)
        if row is None:
            return None
        if row["node"] != self._node:
            message = f"Output {number} stayed on the node {row['node']}, where the topic was: {row['label']}"
            raise Refusal(ErrorCode.NOT_FOUND, message, f"The topic is on {self._node} now; {_STAY}")
        return await self._here.find(session, row["number_there"])

    async def piece(self, output: PiecedOutput, index: int) -> str:
        """Return a piece of an output."""
        return await self._here.piece(output, index)

    async def kept(self, session: Session) -> Sequence[OutputSummary]:
        """List the topic's answers on all nodes, the oldest first."""
        rows = await self._pool.fetch(_ALL, *_key(session))
        here = {it.number for it in await self._here.kept(session)}
        return [
            self._summary(row) for row in rows if row["node"] != self._node or row["number_there"] in here
        ]

    async def forget(self, session: Session) -> None:
        """Remove all answers of the topic; nobody finds any more what other nodes have of it."""
        await self._here.forget(session)
        async with self._homes.fenced(session.user.id) as connection:
            await connection.execute(_FORGET, *_key(session))

    async def remove_user(self, user_id: str) -> None:
        """Remove all answers of a user likewise."""
        await self._here.remove_user(user_id)
        async with self._homes.fenced(user_id) as connection:
            await connection.execute(_FORGET_USER, user_id)

    async def _list(self, session: Session, number_here: int) -> int:
        """Add an answer of this node to the index, and return its number there."""
        key = _key(session)
        kept = next(it for it in await self._here.kept(session) if it.number == number_here)
        row = (self._node, number_here, kept.label, kept.characters)
        async with self._numbering, self._homes.fenced(session.user.id) as connection:
            number: int = await connection.fetchval(_ADD, *key, *row)
            await connection.execute(_TRIM, *key, number - MOST_OUTPUTS)
        return number

    def _user_changed(self, user_id: str) -> None:
        if user_id:
            self._removals.add(user_id)

    async def _remove_if_gone(self, user_id: str) -> None:
        """Remove what is here of a user who was removed at another node."""
        if not await self._pool.fetch(_IS_USER, user_id):
            await self._here.remove_user(user_id)

    def _summary(self, row: Any) -> OutputSummary:
        where = "" if row["node"] == self._node else f" [on the node {row['node']}]"
        return OutputSummary(
            number=row["number"], label=f"{row['label']}{where}", characters=row["characters"]
        )


def _key(session: Session) -> tuple[str, str]:
    return session.user.id, session.name.text
