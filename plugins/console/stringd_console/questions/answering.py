"""The answers that pages send."""

from __future__ import annotations

import time
from collections.abc import Mapping

from msgspec import Struct

from stringd.plugin import (
    AnswerInvalid,
    OpenQuestion,
    Question,
    QuestionClosed,
    QuestionKind,
    QuestionNotFound,
    Questions,
)
from stringd_console.console_page import ActionResult

THROUGH = "console"
EXTRA = "extra-"
_OPERATOR = "operator"
_DECISIONS = {"yes": True, "no": False}


class Answering(Struct, frozen=True):
    """The actions of the page."""

    questions: Questions

    async def answer(self, fields: Mapping[str, str]) -> ActionResult:
        """Answer a question as the operator."""
        question = self.questions.get(fields.get("id", "")).question
        value, extras = _value(question, fields.get("answer", "")), _extras(question, fields)
        sent = {**extras, "answer": value, "through": THROUGH, "comment": fields.get("comment") or None}
        await self.questions.send_answer(fields["id"], _OPERATOR, sent)
        return ActionResult(notice=_notice(value))

    async def mark_shown(self, fields: Mapping[str, str]) -> ActionResult:
        """Note which questions are on a screen; return the seconds that are left for each."""
        left = {it: await self._mark(it) for it in fields.get("ids", "").split()}
        return ActionResult(data={name: seconds for name, seconds in left.items() if seconds is not None})

    async def _mark(self, question_id: str) -> float | None:
        try:
            await self.questions.send_shown(question_id)
            return _seconds_left(self.questions.get(question_id))
        except (QuestionClosed, QuestionNotFound):
            return None


def _value(question: Question, text: str) -> bool | str:
    """Return the value that a form means; a choice is sent by its number, since texts in forms may change."""
    match question.kind:
        case QuestionKind.APPROVE:
            if text not in _DECISIONS:
                raise AnswerInvalid("The answer must be yes or no.")
            return _DECISIONS[text]
        case QuestionKind.CHOICE:
            if not (text.isascii() and text.isdigit() and 0 < int(text[:4]) <= len(question.choices)):
                raise AnswerInvalid("The answer must be the number of a choice.")
            return question.choices[int(text) - 1]
    return text


def _extras(question: Question, fields: Mapping[str, str]) -> Mapping[str, str]:
    """Return the additional fields; beside other answers than approvals, empty ones are left out."""
    given = {name.removeprefix(EXTRA): it for name, it in fields.items() if name.startswith(EXTRA)}
    is_decision = question.kind is QuestionKind.APPROVE
    return {name: it for name, it in given.items() if it or is_decision}


def _notice(value: bool | str) -> str:
    match value:
        case True:
            return "Approved."
        case False:
            return "Denied."
    return "Answered."


def _seconds_left(opened: OpenQuestion) -> float | None:
    return None if opened.expires_at is None else max(opened.expires_at - time.time(), 0.0)
