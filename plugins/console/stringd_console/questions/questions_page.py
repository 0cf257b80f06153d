"""The page of all questions, and one for each that is too long for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

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
from stringd_console.questions.question_board import BoardEntry, QuestionBoard
from stringd_console.questions.question_card import TEMPLATES, question_item

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
    cards = _Cards(QuestionBoard(questions))
    return View(title="Questions", template="questions.html", regions=cards.regions, changes=cards.changes)


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


@dataclass(slots=True)
class _Cards:
    """The elements of all questions; each is rendered once, and again when it is closed."""

    board: QuestionBoard
    _items: dict[tuple[str, bool], Item] = field(default_factory=dict)

    def changes(self) -> AsyncGenerator[object, None]:
        return self.board.changes()

    async def regions(self) -> Regions:
        entries = self.board.entries()
        known = self._items
        self._items = {}
        for entry in entries:
            key = entry.opened.id, entry.outcome is not None
            self._items[key] = known.get(key) or question_item(entry)
        waiting = sum(it.outcome is None for it in entries)
        summary = TEMPLATES.render("questions_summary.html", waiting=waiting, is_empty=not entries)
        return {"summary": summary, "questions": tuple(self._items.values())}
