"""The output of one evaluation as a terminal shows it, reply by reply."""

from __future__ import annotations

import codecs
import logging

from stringd.plugin import Budget, Workers, WorkStopped
from stringd.plugin.processes import SpillingBuffer
from stringd.plugin.terminal import plain_lines, without_colours, without_unfinished
from stringd.plugin.text import HeadTailBuffer, omission
from stringd.plugin.workers import READING
from stringd_bash.output_rendering import Display, most_nanoseconds, plain_text, render
from stringd_bash.printed import Printed, SpilledLines
from stringd_bash.screen_changes import ScreenChanges, whole_screen
from stringd_bash.terminal_size import Size

# More is not rendered on the event loop.
_LONGEST_ON_LOOP = 65536
_MOST_NANOSECONDS_ON_LOOP = 50_000_000
_BUDGET = Budget(seconds=4, memory=512 * 1024 * 1024)
_PLAIN_TEXT_NOTE = "[plain text, as drawing it like a terminal failed: {}]"

_log = logging.getLogger(__name__)


class View:
    """Shows lines as they come, or a screen when the program uses the terminal as one."""

    def __init__(self, size: Size, workers: Workers, owner: str) -> None:
        self.size = size
        self._workers = workers
        self._owner = owner
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._unfinished = ""
        self._display = Display()
        self._changes = ScreenChanges()

    @property
    def shows_lines(self) -> bool:
        """Whether nothing but lines has been shown yet."""
        return self._display.shows_lines

    async def show(self, output: HeadTailBuffer, *, final: bool) -> Printed:
        """Return the new output, or the whole screen if the program uses the terminal as one."""
        spill = output.take_spill() if isinstance(output, SpillingBuffer) else None
        shown = await self._show(self._take_text(output, final=final))
        if spill and not self.shows_lines:
            # The screen is all that there is to see.
            spill.close()
            spill = None
        text = shown if final else self._changes.of(shown, self._display.terminal)
        return Printed(text=text, whole=(SpilledLines(spill),) if spill else ())

    def forget_rows(self) -> None:
        """Have the next reply show the whole screen."""
        self._changes = ScreenChanges()

    def screen(self) -> str | None:
        """Return the whole screen and the cursor's place; None if there is no screen."""
        terminal = self._display.terminal
        return whole_screen(terminal.screen) if terminal else None

    async def _show(self, text: str) -> str:
        is_short = len(text) <= _LONGEST_ON_LOOP
        if self._display.shows_lines:
            text = without_colours(text) if is_short else text
            lines = plain_lines(text) if is_short else await READING.run(plain_lines, text)
            if lines is not None:
                return lines
        try:
            shown, self._display = await self._render(text, is_short=is_short)
        except WorkStopped as stopped:
            return await self._show_plainly(text, str(stopped))
        except Exception:
            _log.exception("output can't be drawn")
            return await self._show_plainly(text, "a fault of the runtime")
        return shown

    async def _render(self, text: str, *, is_short: bool) -> tuple[str, Display]:
        """Render on the event loop what takes a moment, and all else in a worker, which can be stopped."""
        if is_short and most_nanoseconds(text, self.size) <= _MOST_NANOSECONDS_ON_LOOP:
            return render(self._display, text, self.size)
        return await self._workers.run(
            render, self._display, text, self.size, owner=self._owner, budget=_BUDGET
        )

    async def _show_plainly(self, text: str, reason: str) -> str:
        shown, self._display = await READING.run(plain_text, self._display, text)
        return f"{_PLAIN_TEXT_NOTE.format(reason)}\n{shown}"

    def _take_text(self, output: HeadTailBuffer, *, final: bool) -> str:
        head, dropped, tail = output.take()
        text = self._unfinished + self._decoder.decode(head, final=final or bool(dropped))
        if dropped:
            # CAN ends a sequence that was cut off, which would otherwise swallow the note.
            text += "\x18" * ("\x1b" in text) + f"\r\n{omission(dropped)}\r\n"
        text += self._decoder.decode(tail, final=final)
        text, self._unfinished = (text, "") if final else without_unfinished(text)
        return text
