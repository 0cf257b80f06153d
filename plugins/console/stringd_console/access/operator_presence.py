"""The operator counts as attached while a browser shows a page, and while it goes from one to the next."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from msgspec import Struct, field

from stringd.plugin import Questions

# Without this, a question that is asked just while another page loads would be refused: nobody is there.
_BETWEEN_PAGES_SECONDS = 3.0


class OperatorPresence(Struct):
    """Attaches the operator for all browsers together."""

    questions: Questions
    _pages: int = 0
    _attached: ExitStack = field(default_factory=ExitStack)
    _leaving: asyncio.TimerHandle | None = None

    @contextmanager
    def shows_page(self) -> Iterator[None]:
        """Attach the operator for the duration of the context, and for a moment after the last one."""
        if self._leaving:
            self._leaving.cancel()
            self._leaving = None
        elif not self._pages:
            self._attached.enter_context(self.questions.attach_operator())
        self._pages += 1
        try:
            yield
        finally:
            self._pages -= 1
            if not self._pages:
                loop = asyncio.get_running_loop()
                self._leaving = loop.call_later(_BETWEEN_PAGES_SECONDS, self._leave)

    def _leave(self) -> None:
        self._leaving = None
        self._attached.close()
