"""The screen of a topic while somebody looks at it, drawn from the topic's output."""

from __future__ import annotations

import asyncio
import codecs
import re
from collections.abc import Sequence

from msgspec import Struct

from stringd.plugin.terminal import controls, parse, without_unfinished
from stringd_bash.console_screen.styled_emulator import StyledEmulator
from stringd_bash.console_screen.styled_screen import runs_of
from stringd_bash.recent_output import LastingState, RecentOutput
from stringd_bash.terminal_size import Size
from stringd_console import ScreenRow

# More takes longer than the event loop may be held up.
_MOST_CONTROLS, _MOST_CHARACTERS = 600, 16384
_MOST_LINES = 240
# Instructions whose effect depends on the rows above: whatever neither styles text nor erases to its right.
_MOVING = re.compile(r"\x1b(?!\[[0-9;:]*+[mK]|\(B|[=>])|[\v\f]")


class ScreenView(Struct, frozen=True, kw_only=True):
    """What a terminal shows."""

    rows: tuple[ScreenRow, ...]
    cursor: tuple[str, int] | None
    is_full_screen: bool


class LiveScreen:
    """Follows a topic's output, as far as it is asked to."""

    def __init__(self, output: RecentOutput, size: Size) -> None:
        self._output = output
        self._position = 0
        self._terminal = StyledEmulator.of(size)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._unfinished = ""
        self._lock = asyncio.Lock()
        self._drawing: asyncio.Future[None] | None = None
        self._kept: dict[int, ScreenRow] = {}

    async def view(self, size: Size, *, is_idle: bool) -> ScreenView:
        """Draw what was printed meanwhile, large amounts in a thread, and return what is shown then.

        While no program runs, the cursor is elsewhere.
        """
        async with self._lock:
            if self._drawing:
                # Whoever waited for it may have been cancelled; the thread draws on.
                await asyncio.wait({self._drawing})
            text = self._new_text()
            if len(text) <= _MOST_CHARACTERS and controls(text) <= _MOST_CONTROLS:
                self._draw(text, size)
            else:
                self._drawing = asyncio.ensure_future(asyncio.to_thread(self._draw, text, size))
                await asyncio.shield(self._drawing)
            screen = self._terminal.shown
            self._output.note_cursor_line("".join(screen.rows[screen.y][: screen.x]), self._position)
            return ScreenView(
                rows=self._rows(without_cursor=is_idle),
                cursor=None if is_idle else self._cursor(),
                is_full_screen=self._terminal.is_alternate,
            )

    def _rows(self, *, without_cursor: bool) -> tuple[ScreenRow, ...]:
        """Return the rows that have left last, and those of the screen up to the last that is in use."""
        screen = self._terminal.shown
        shown = screen.rows
        if not self._terminal.is_alternate:
            last = max((number for number, row in enumerate(shown) if row), default=-1)
            shown = shown[: (last if without_cursor else max(last, screen.y)) + 1]
        drawn = tuple(ScreenRow(key=self._key(number), runs=runs_of(row)) for number, row in enumerate(shown))
        return (*self._kept_rows(), *drawn)

    def _cursor(self) -> tuple[str, int] | None:
        screen = self._terminal.shown
        column = min(screen.x, screen.size.columns - 1)
        return (self._key(screen.y), column) if self._terminal.shows_cursor else None

    def _new_text(self) -> str:
        data = self._output.since(self._position)
        self._position = self._output.received
        text, self._unfinished = without_unfinished(self._unfinished + self._decoder.decode(data))
        return text

    def _draw(self, text: str, size: Size) -> None:
        self._terminal.resize(size)
        for part in _shortened(text):
            self._terminal.feed(parse(part))

    def _key(self, number: int) -> str:
        """Return the key of a row: rows of the main screen keep theirs while they move up."""
        return f"s{number}" if self._terminal.is_alternate else f"r{self._terminal.shown.left + number}"

    def _kept_rows(self) -> Sequence[ScreenRow]:
        screen = self._terminal.shown
        if self._terminal.is_alternate:
            return ()
        first = screen.left - len(screen.kept)
        self._kept = {
            number: self._kept.get(number) or ScreenRow(key=f"r{number}", runs=runs_of(row))
            for number, row in enumerate(screen.kept, first)
        }
        return [*self._kept.values()]


def _shortened(text: str) -> Sequence[str]:
    """Return the parts of a text that are worth drawing: of many lines, only the last are seen."""
    if text.count("\n") <= _MOST_LINES:
        return [text]
    above, *below = text.rsplit("\n", _MOST_LINES)
    if _MOVING.search(above):
        return [text]
    lasting = LastingState()
    lasting.add(above.encode(errors="replace"))
    return [lasting.instructions.decode("latin-1"), "\r\n", "\n".join(below)]
