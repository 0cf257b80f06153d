"""The questions of the other nodes: which are open, and how they are answered there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stringd.plugin import (
    AnswerInvalid,
    ClosedQuestion,
    OpenQuestion,
    QuestionClosed,
    QuestionNotFound,
    RequestRefused,
)
from stringd.plugin.questions import opened_from_json
from stringd.plugin.stores import OutcomeUnknown
from stringd_cluster.sharing.question_mirror import closed_from_json
from stringd_cluster.sharing.sharing_node import PeerAnswer, SharingNode

_OPERATOR = "operator"
_MOST_CLOSED = 1000
_LIST = """
SELECT questions.id, questions.node, questions.revision, nodes.name, outcome
FROM questions LEFT JOIN nodes ON nodes.id = questions.node AND nodes.ended IS NULL
    AND nodes.expires > clock_timestamp()
WHERE questions.node <> $1
"""
_READ = "SELECT id, opened FROM questions WHERE id = ANY($1)"
_TRIM = """
DELETE FROM questions WHERE changed < clock_timestamp() - interval '10 minutes' AND (
    outcome IS NOT NULL OR NOT EXISTS (
        SELECT FROM nodes WHERE id = questions.node AND ended IS NULL AND expires > clock_timestamp()
    )
)
"""
_LOST = "the node that asked it is gone"
_REFUSALS: Mapping[str, type[RequestRefused]] = {
    str(it.code): it for it in (AnswerInvalid, QuestionClosed, QuestionNotFound)
}


class AskerUnreachable(OutcomeUnknown):
    """The node that asks a question does not say what became of the answer, which may be sent again."""


class QuestionsElsewhere:
    """Knows what is open at live nodes; implements `OtherQuestions`."""

    def __init__(self, node: SharingNode) -> None:
        self._node = node
        self.opened: Mapping[str, OpenQuestion] = {}
        self.closed: dict[str, ClosedQuestion] = {}
        self.has_operator = False
        """Whether an operator is attached to one of these nodes."""
        self._known: dict[str, tuple[int, str]] = {}

    @property
    def node(self) -> str:
        """The name of this node."""
        return self._node.name

    def asker(self, question_id: str) -> str | None:
        """Return the id of the node that asks an open question."""
        return self._known[question_id][1] if question_id in self.opened else None

    async def read(self) -> bool:
        """Read the table; return whether anything has changed here."""
        rows = await self._node.pool.fetch(_LIST, self._node.id)
        opened, outcomes = self._sorted(rows)
        new = [
            it["id"] for it in opened.values() if self._known.get(it["id"]) != (it["revision"], it["node"])
        ]
        read = {it["id"]: it["opened"] for it in await self._node.pool.fetch(_READ, new)} if new else {}
        before, now = self.opened, {}
        for question_id, row in opened.items():
            if question_id in read:
                now[question_id] = opened_from_json(json.loads(read[question_id]), row["name"])
            elif question_id in before:
                now[question_id] = before[question_id]
        self._close(before.keys() - now.keys(), outcomes)
        self._known = {it: (opened[it]["revision"], opened[it]["node"]) for it in now}
        self.opened = now
        return bool(read) or before.keys() != now.keys()

    async def trim(self) -> None:
        """Delete what nobody asks about any more."""
        await self._node.pool.execute(_TRIM)

    async def answer(self, question_id: str, by: str, fields: Mapping[str, Any]) -> None:
        """Answer a question at the node that asks it."""
        user_id = None if by == _OPERATOR else by
        await self._send(f"/questions/{question_id}", question_id, fields, user_id)

    async def mark_shown(self, question_id: str) -> None:
        """Tell the node that asks a question that it is shown."""
        await self._send(f"/questions/{question_id}/shown", question_id, {}, None)

    async def _send(
        self, path: str, question_id: str, fields: Mapping[str, Any], user_id: str | None
    ) -> None:
        node_id = self.asker(question_id)
        if node_id is None:
            raise QuestionNotFound("There is no such question.")
        sent = {name: value for name, value in fields.items() if value is not None}
        try:
            answer = await self._node.call(node_id, "POST", path, sent, user_id)
        except OSError as error:
            name = self.opened[question_id].node
            message = f"Node {name}, which asks this, can't be reached: {error}. Is it still open?"
            raise AskerUnreachable(message) from error
        if answer.status != 200:
            raise _refused(answer)

    def _sorted(self, rows: Any) -> tuple[dict[str, Any], dict[str, str | None]]:
        """Return the open questions, and the outcomes of those that are closed, or whose node is gone."""
        opened = {it["id"]: it for it in rows if it["name"] and it["outcome"] is None}
        return opened, {it["id"]: it["outcome"] for it in rows if it["id"] not in opened}

    def _close(self, gone: Any, outcomes: Mapping[str, str | None]) -> None:
        for question_id in gone:
            user_id = self.opened[question_id].question.user_id
            lost = {"id": question_id, "user_id": user_id, "reason": _LOST}
            outcome = outcomes.get(question_id)
            self.closed[question_id] = closed_from_json(json.loads(outcome) if outcome else lost)
        while len(self.closed) > _MOST_CLOSED:
            del self.closed[next(iter(self.closed))]


def _refused(answer: PeerAnswer) -> RequestRefused:
    message = str(answer.fields.get("message") or answer.fields.get("error") or "")
    refusal = _REFUSALS.get(str(answer.fields.get("code") or answer.fields.get("error")))
    return (
        refusal.rebuilt(message)
        if refusal
        else AskerUnreachable(f"The node that asks this refuses: {message}")
    )
