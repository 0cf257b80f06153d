"""A terminal's screen, by pyte, and what pyte leaves out: the alternate screen, what scrolls off the top."""

from __future__ import annotations

import asyncio
from typing import Any

import pyte
from pyte.screens import Cursor

_ALTERNATE = {47, 1047, 1049}
_SLICE = 4096


class Screen(pyte.Screen):
    """Shows what programs print. A wide one shows lines as they are, without wrapping them."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(columns, rows)
        self._stream = pyte.Stream(self)
        self._scrolled: list[str] = []
        self._main: tuple[dict[int, Any], Cursor] | None = None

    async def feed(self, text: str) -> None:
        """Take in a text, and let others have their turn meanwhile: it takes long."""
        for start in range(0, len(text), _SLICE):
            self._stream.feed(text[start : start + _SLICE])
            if len(text) > _SLICE:
                await asyncio.sleep(0)

    async def resolve_line(self, text: str) -> str:
        """Return what remains of one line when its redraws and corrections are done."""
        self.reset()
        await self.feed(text)
        return self._line(0)

    def picture(self) -> str:
        """Return what is shown, and above it what has scrolled away since the last picture."""
        lines = [*self._scrolled, *(self._line(y) for y in range(self.lines))]
        self.forget_scrolled()
        return "\n".join(lines).rstrip()

    def forget_scrolled(self) -> None:
        """Leave what has scrolled away until now out of the next picture."""
        self._scrolled = []

    def index(self) -> None:
        """Move on by a line; the topmost one may scroll away."""
        if self.cursor.y == self.lines - 1 and not self.margins and not self._main:
            self._scrolled.append(self._line(0))
        super().index()

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        """Set modes; the alternate screen begins empty."""
        if kwargs.get("private") and _ALTERNATE & {*modes} and self._main is None:
            self._main = dict(self.buffer), self.cursor
            self.buffer.clear()
            self.cursor = Cursor(0, 0)
        super().set_mode(*modes, **kwargs)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        """Reset modes; after the alternate screen the main one is as it was."""
        if kwargs.get("private") and _ALTERNATE & {*modes} and self._main is not None:
            self.buffer.clear()
            self.buffer.update(self._main[0])
            self.cursor = self._main[1]
            self._main = None
        super().reset_mode(*modes, **kwargs)

    def _line(self, number: int) -> str:
        cells = self.buffer[number]
        return "".join(cells[x].data for x in range(max(cells, default=-1) + 1)).rstrip()
