"""`/answer`: answer an open question of the same user, or list the open questions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stringd.api.commands import Command, Invocation
from stringd.api.questions import OpenQuestion, Question, Trust
from stringd.api.replies import Reply
from stringd.errors import ErrorCode, Refusal
from stringd.questions.answer_values import value_of_text
from stringd.text.escaping import visible_line
from stringd.text.masking import MASK

_ID = re.compile(r"(q[0-9a-f]{8})(?:\s+|\Z)")
_HEAD = re.compile(r"/+\S*(?:[ \t]+q[0-9a-f]{8}(?=\s|\Z))?")
_LONGEST_NAME = 64
_PERSON = (
    "Only a person may answer this question.",
    "A person can answer it with `stringd approve` in a terminal.",
)


async def run(invocation: Invocation) -> Reply:
    """Answer the given question, or the only open one; without arguments, list the open questions."""
    session, line = invocation.session, invocation.line
    text = "\n".join(part for part in (line.arguments, line.body) if part)
    listed = invocation.runtime.questions.listed(session.user.id)
    if not text.strip():
        shown = "\n\n".join(map(_shown, listed)) or "(none)"
        return Reply.page("Questions", shown)
    named = _ID.match(text)
    question_id = named[1] if named else _only(listed).id
    question = _find(invocation, question_id)
    value = value_of_text(question, text[named.end() :] if named else text)
    invocation.runtime.questions.answer(
        question_id, value, by=session.user.id, through=f"/answer in {session.name}"[:_LONGEST_NAME]
    )
    return Reply.confirmation(f"Answered: {visible_line(question.title)}")


def _only(listed: Sequence[OpenQuestion]) -> OpenQuestion:
    """Return the only open question that an agent may answer, or refuse."""
    open_to_agents = [it for it in listed if it.question.trust is Trust.ANYONE]
    if len(open_to_agents) == 1:
        return open_to_agents[0]
    if open_to_agents:
        lines = (f"{it.id}: {visible_line(it.question.title)}" for it in open_to_agents)
        raise Refusal(ErrorCode.INVALID_PARAMS, "Several questions are open: name one of them.", *lines)
    if listed:
        raise Refusal(ErrorCode.OPERATOR_REQUIRED, *_PERSON)
    raise Refusal(ErrorCode.QUESTION_NOT_FOUND, "No question is open.")


def _find(invocation: Invocation, question_id: str) -> Question:
    question = invocation.runtime.questions.get(question_id, invocation.session.user.id).question
    if question.trust is Trust.PERSON:
        raise Refusal(ErrorCode.OPERATOR_REQUIRED, *_PERSON)
    return question


def _shown(opened: OpenQuestion) -> str:
    question = opened.question
    who = "a person" if question.trust is Trust.PERSON else "anyone"
    lines = [f"{opened.id}: {visible_line(question.title)}", f"({question.kind}, to be answered by {who})"]
    lines += question.body.split("\n") if question.body else ()
    lines += (f"{name}: {value}" for name, value in question.details.items())
    lines += (f"{number}. {visible_line(it)}" for number, it in enumerate(question.choices, 1))
    return "\n".join(lines)


def _masked(text: str) -> str:
    """Return the first line of the command with the answer masked, for any kind of question."""
    head = _HEAD.match(text)
    shown = head[0] if head else ""
    return f"{shown} {MASK}" if text[len(shown) :].strip() else shown


ANSWER = Command(
    name="answer",
    summary="Answer an open question, or list them.",
    group="Actions",
    usage="/answer [id] [text]",
    run=run,
    takes_body=True,
    mask=_masked,
    urgent=True,
)
