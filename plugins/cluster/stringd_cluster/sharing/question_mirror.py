"""Show the questions of this node at the others: write them to a table whenever they change."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from stringd.plugin import ClosedQuestion, OpenQuestion, Questions, StorageFailed
from stringd_cluster.sharing.sharing_node import RETRY_SECONDS, SharingNode

log = logging.getLogger(__name__)

_WRITE = """
INSERT INTO questions (id, node, opened) VALUES ($1, $2, $3)
ON CONFLICT (id) DO UPDATE SET node = $2, opened = $3, outcome = NULL, changed = clock_timestamp(),
    revision = nextval(pg_get_serial_sequence('questions', 'revision'))
"""
_CLOSE = """
UPDATE questions SET outcome = $2, changed = clock_timestamp(),
    revision = nextval(pg_get_serial_sequence('questions', 'revision'))
WHERE id = $1
"""
_LOOK_SECONDS = 1.0
_NOTIFY = "SELECT pg_notify('stringd_questions', '')"
_GONE: Mapping[str, Any] = {"reason": "it is no longer open"}


class QuestionMirror:
    """Keeps the table like the open questions of this node."""

    def __init__(self, questions: Questions, node: SharingNode) -> None:
        self._questions = questions
        self._node = node
        self._mirrored: dict[str, OpenQuestion] = {}
        self._node_id = ""

    async def run(self) -> None:
        """Write all changes until cancelled."""
        with self._questions.watched() as changed:
            while True:
                changed.clear()
                try:
                    await self._write_changes()
                except StorageFailed as failure:
                    log.warning("questions can't be shown at other nodes yet: %s", failure)
                    await asyncio.sleep(RETRY_SECONDS)
                    continue
                # A new lease is not announced, and other nodes know nothing of these questions then.
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), _LOOK_SECONDS)

    async def _write_changes(self) -> None:
        node_id = self._node.id
        if node_id != self._node_id:
            # Other nodes have withdrawn what an earlier lease of this one has left.
            self._mirrored.clear()
        opened = {it.id: it for it in self._questions.asked_here()}
        changed = [it for it in opened.values() if self._mirrored.get(it.id) is not it]
        gone = self._mirrored.keys() - opened.keys()
        if not changed and not gone:
            return
        async with self._node.pool.transaction() as connection:
            for it in changed:
                await connection.execute(_WRITE, it.id, node_id, json.dumps(it.as_json()))
            for question_id in gone:
                await connection.execute(_CLOSE, question_id, self._outcome(question_id))
            await connection.execute(_NOTIFY)
        self._mirrored, self._node_id = opened, node_id

    def _outcome(self, question_id: str) -> str:
        closed = self._questions.closed(question_id)
        user_id = self._mirrored[question_id].question.user_id
        outcome = closed.as_json() if closed else {**_GONE, "id": question_id}
        return json.dumps({"by": None, "through": None, **outcome, "user_id": user_id})


def closed_from_json(outcome: Mapping[str, Any]) -> ClosedQuestion:
    """Return the outcome of a question of another node."""
    names = ("user_id", "by", "through", "reason")
    return ClosedQuestion(id=outcome["id"], **{name: outcome.get(name) for name in names})
