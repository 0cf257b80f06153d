"""Questions to anyone as MCP elicitations; never approvals or secrets."""

from __future__ import annotations

from typing import Any

from mcp import types
from stringd.plugin import (
    AnswerInvalid,
    OpenQuestion,
    QuestionClosed,
    QuestionKind,
    QuestionNotFound,
    Runtime,
    Trust,
)

_KINDS = frozenset({QuestionKind.TEXT, QuestionKind.CHOICE})
_FIELD = "answer"
_THROUGH = "mcp"


def may_elicit(asked: OpenQuestion) -> bool:
    """Whether an agent's client may be asked this question."""
    return asked.question.trust is Trust.ANYONE and asked.question.kind in _KINDS


def elicitation_of(asked: OpenQuestion, problem: str = "") -> types.ElicitRequestFormParams:
    """Return the form that asks a question, with what was wrong with the last answer."""
    question = asked.question
    message = "\n\n".join(filter(None, (problem, question.title, question.body)))
    field: dict[str, Any] = {"type": "string", "title": question.title}
    if question.kind is QuestionKind.CHOICE:
        field["enum"] = list(question.choices)
    schema = {"type": "object", "properties": {_FIELD: field}, "required": [_FIELD]}
    return types.ElicitRequestFormParams(message=message, requested_schema=schema)


def answer_question(
    runtime: Runtime, question_id: str, user_id: str, result: types.ElicitResult
) -> str | None:
    """Pass the answer of a form on; return what is wrong with it, None if the question needs no other."""
    if result.action != "accept":
        return None
    value = (result.content or {}).get(_FIELD)
    try:
        runtime.questions.answer(question_id, value, by=user_id, through=_THROUGH)
    except AnswerInvalid as invalid:
        return invalid.message
    except (QuestionClosed, QuestionNotFound):
        return None
    return None
