"""Questions that the other nodes of a cluster ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from stringd.api.questions import ClosedQuestion, OpenQuestion, Question, QuestionKind, Trust


class OtherQuestions(Protocol):
    """What is known of the questions and operators of other nodes; whoever changes it says so."""

    @property
    def node(self) -> str | None:
        """The name of this node, which its own questions bear; None if there are no others."""

    @property
    def opened(self) -> Mapping[str, OpenQuestion]:
        """The open questions by id."""

    @property
    def closed(self) -> Mapping[str, ClosedQuestion]:
        """The outcomes of closed ones by id."""

    @property
    def has_operator(self) -> bool:
        """Whether an operator is attached to another node."""

    async def answer(self, question_id: str, by: str, fields: Mapping[str, Any]) -> None:
        """Have the node that asks an open question answer it, with the fields of `POST /questions/ID`.

        Raises as `Questions.answer` does, and `Unavailable` if that node can't be reached.
        """

    async def mark_shown(self, question_id: str) -> None:
        """Tell the node that asks an open question that it is shown."""


class NoOthers:
    """There is no other node."""

    node: str | None = None
    opened: Mapping[str, OpenQuestion] = {}
    closed: Mapping[str, ClosedQuestion] = {}
    has_operator = False

    async def answer(self, question_id: str, by: str, fields: Mapping[str, Any]) -> None:
        """Fail, since nobody else asks."""
        raise LookupError(question_id)

    async def mark_shown(self, question_id: str) -> None:
        """Fail likewise."""
        raise LookupError(question_id)


def opened_from_json(opened: Mapping[str, Any], node: str) -> OpenQuestion:
    """Return a question of another node from what `OpenQuestion.as_json` has returned there."""
    question = Question(
        kind=QuestionKind(opened["kind"]),
        title=opened["title"],
        asked_by=opened["asked_by"],
        body=opened["body"],
        details=opened["details"],
        choices=tuple(opened["choices"]),
        expires=opened["expires"],
        trust=Trust(opened["trust"]),
        user_id=opened["user_id"],
        topic=opened["topic"],
        request_id=opened["request_id"],
        extras=frozenset(opened["extras"]),
        suggestions=opened["suggestions"],
    )
    return OpenQuestion(
        id=opened["id"],
        question=question,
        asked_at=opened["asked_at"],
        expires_at=opened["expires_at"],
        node=node,
    )
