"""The elements of questions, for the page of all and for pages that show their own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

from stringd.plugin import Question, Questions
from stringd_console.console_page import Item
from stringd_console.questions.question_board import QuestionBoard
from stringd_console.questions.question_card import question_item


class QuestionCards:
    """Renders each question once, and again when it is closed.

    Place them in a region with the attribute `data-steady`, in which answers only count once the question has
    been seen. `concerns` chooses the questions.
    """

    def __init__(self, questions: Questions, concerns: Callable[[Question], bool] = lambda _: True) -> None:
        self._board = QuestionBoard(questions, concerns)
        self._items: dict[tuple[str, bool], Item] = {}

    def changes(self) -> AsyncGenerator[object, None]:
        """Yield whenever the elements may have changed."""
        return self._board.changes()

    def items(self) -> tuple[tuple[Item, ...], int]:
        """Return the elements, the newest first, and how many of them wait for an answer."""
        entries = self._board.entries()
        known = self._items
        self._items = {}
        for entry in entries:
            key = entry.opened.id, entry.outcome is not None
            self._items[key] = known.get(key) or question_item(entry)
        return tuple(self._items.values()), sum(it.outcome is None for it in entries)
