"""The questions on the page: those that are open, and for some seconds those that were just closed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress

from msgspec import Struct, field

from stringd.plugin import ClosedQuestion, OpenQuestion, Question, Questions

_SHOWN_SECONDS = 10.0
_FORGOTTEN = "it is no longer open"


class BoardEntry(Struct, frozen=True, kw_only=True):
    """A question, and its outcome if it is closed."""

    opened: OpenQuestion
    outcome: ClosedQuestion | None = None


class QuestionBoard(Struct):
    """Remembers what it has shown, so that nothing vanishes without a word."""

    questions: Questions
    concerns: Callable[[Question], bool] = lambda _: True
    """Which questions are shown."""
    _open: dict[str, OpenQuestion] = field(default_factory=dict)
    _closed: dict[str, tuple[BoardEntry, float]] = field(default_factory=dict)

    def entries(self) -> Sequence[BoardEntry]:
        """Return what is to be shown now, the newest first."""
        self._note_closed()
        shown = [entry for entry, _ in self._closed.values()]
        shown += [BoardEntry(opened=it) for it in self._open.values()]
        return sorted(shown, key=lambda it: it.opened.asked_at, reverse=True)

    async def changes(self) -> AsyncGenerator[object, None]:
        """Yield whenever the entries may have changed."""
        with self.questions.watched() as changed:
            while True:
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), self._rest())
                changed.clear()
                self._note_closed()
                yield None

    def _note_closed(self) -> None:
        now = time.monotonic()
        opened = {it.id: it for it in self.questions.listed() if self.concerns(it.question)}
        for gone in self._open.keys() - opened.keys():
            outcome = self.questions.closed(gone) or ClosedQuestion(id=gone, user_id=None, reason=_FORGOTTEN)
            entry = BoardEntry(opened=self._open[gone], outcome=outcome)
            self._closed[gone] = entry, now + _SHOWN_SECONDS
        self._open = opened
        self._closed = {key: it for key, it in self._closed.items() if it[1] > now}

    def _rest(self) -> float | None:
        """Return the seconds until the first closed question is no longer shown."""
        ends = [until for _, until in self._closed.values()]
        return max(min(ends) - time.monotonic(), 0) + 0.05 if ends else None
