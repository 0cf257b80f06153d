"""The page of all questions, and one for each that is too long for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from stringd.plugin import (
    ErrorCode,
    QuestionAnswered,
    QuestionAsked,
    QuestionClosed,
    QuestionNotFound,
    Questions,
    QuestionWithdrawn,
    Refusal,
    Runtime,
)
from stringd_console.console_page import ConsolePage, Item, PageRequest, Regions, View
from stringd_console.questions.answering import Answering
from stringd_console.questions.question_board import BoardEntry
from stringd_console.questions.question_card import TEMPLATES, question_item
from stringd_console.questions.question_cards import QuestionCards

KINDS = frozenset({QuestionAsked.kind, QuestionAnswered.kind, QuestionWithdrawn.kind})


def questions_page(runtime: Runtime) -> ConsolePage:
    """Return the page of a daemon's questions."""
    questions, answering = runtime.questions, Answering(runtime.questions)

    async def view(request: PageRequest) -> View:
        match request.path:
            case ():
                return _all(questions)
            case (question_id,):
                return _one(questions, question_id)
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such question.")

    return ConsolePage(
        name="questions",
        title="Questions",
        templates=TEMPLATES,
        view=view,
        actions={"answer": answering.answer, "shown": answering.mark_shown},
        position=20,
        badge=lambda: len(questions.listed()),
        badge_kinds=KINDS,
    )


def _all(questions: Questions) -> View:
    cards = QuestionCards(questions)

    async def regions() -> Regions:
        items, waiting = cards.items()
        summary = TEMPLATES.render("questions_summary.html", waiting=waiting, is_empty=not items)
        return {"summary": summary, "questions": items}

    return View(title="Questions", template="questions.html", regions=regions, changes=cards.changes)


def _one(questions: Questions, question_id: str) -> View:
    try:
        opened = questions.get(question_id)
    except (QuestionClosed, QuestionNotFound) as closed:
        raise Refusal(ErrorCode.NOT_FOUND, closed.message) from closed
    rendered: dict[bool, Item] = {}

    async def regions() -> Regions:
        outcome = questions.closed(question_id)
        if bool(outcome) not in rendered:
            entry = BoardEntry(opened=opened, outcome=outcome)
            # It may have a million characters.
            rendered[bool(outcome)] = await asyncio.to_thread(question_item, entry, whole=True)
        return {"questions": (rendered[bool(outcome)],)}

    async def changes() -> AsyncGenerator[object, None]:
        with questions.watched() as changed:
            while True:
                await changed.wait()
                changed.clear()
                yield None

    return View(title="Question", template="question.html", regions=regions, changes=changes)
