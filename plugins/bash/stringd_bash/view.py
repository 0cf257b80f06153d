"""What a program's output looks like on a terminal, told reply by reply."""

from __future__ import annotations

import codecs
import logging
import re

from stringd.plugin import Budget, Workers, WorkStopped
from stringd_bash.buffer import Buffer
from stringd_bash.rendering import Display, give_up, most_nanoseconds, render
from stringd_bash.sequences import unmoved, without_colours, without_unfinished
from stringd_bash.size import Size

# Programs that pass keys on, such as ssh and tmux, do not let the terminal know that the echo is off.
_SECRET = re.compile(r"(?i)\b(?:password|passphrase|passcode|pin|secret|token)\b[^\n]*[:?]\s*\Z")
_PROMPT_LENGTH = 300
_APPLICATION_KEYS, _BRACKETED_PASTE = 1, 2004
_LONGEST_HERE = 65536
_NANOSECONDS_HERE = 50_000_000
_BUDGET = Budget(seconds=4, memory=512 * 1024 * 1024)
_GIVEN_UP = "[plain text, as drawing it like a terminal failed: {}]"

_log = logging.getLogger(__name__)


class View:
    """One program's output: lines as they come, or a screen when it uses the terminal as one."""

    def __init__(self, size: Size, workers: Workers, owner: str) -> None:
        self.size = size
        self._workers = workers
        self._owner = owner
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._display = Display()
        self.asks_secret = False
        """Whether the last line sounds as if something secret should be typed."""

    @property
    def application_keys(self) -> bool:
        """Whether the program wants cursor keys in their other spelling."""
        return _APPLICATION_KEYS in self._display.modes

    @property
    def is_editor(self) -> bool:
        """Whether the program shows what is typed by itself, as editors, pagers and line editors do."""
        return self._display.is_aside or bool({_APPLICATION_KEYS, _BRACKETED_PASTE} & self._display.modes)

    @property
    def shows_lines(self) -> bool:
        """Whether all that was shown until now are lines."""
        return self._display.shows_lines

    async def show(self, output: Buffer, *, final: bool) -> str:
        """Return what is new; of a program that uses the terminal as a screen, the screen as it is now."""
        shown = await self._show(self._text(output, final=final))
        self.asks_secret = bool(_SECRET.search(shown[-_PROMPT_LENGTH:]))
        return shown

    async def _show(self, text: str) -> str:
        """Show at once what takes but a moment, and have the rest drawn where it can be stopped."""
        is_short = len(text) <= _LONGEST_HERE
        if self._display.shows_lines:
            text = without_colours(text) if is_short else text
            lines = unmoved(text)
            if lines is not None:
                return lines
        is_here = is_short and most_nanoseconds(text, self.size) <= _NANOSECONDS_HERE
        try:
            shown, self._display = await self._drawn(text, is_here=is_here)
        except WorkStopped as stopped:
            return self._given_up(text, str(stopped))
        except Exception:
            _log.exception("output can't be drawn")
            return self._given_up(text, "a fault of the runtime")
        return shown

    async def _drawn(self, text: str, *, is_here: bool) -> tuple[str, Display]:
        if is_here:
            return render(self._display, text, self.size)
        return await self._workers.run(
            render, self._display, text, self.size, owner=self._owner, budget=_BUDGET
        )

    def _given_up(self, text: str, reason: str) -> str:
        shown, self._display = give_up(self._display, text)
        return f"{_GIVEN_UP.format(reason)}\n{shown}"

    def _text(self, output: Buffer, *, final: bool) -> str:
        head, dropped, tail = output.take()
        text = self._rest + self._decoder.decode(head, final=final or bool(dropped))
        if dropped:
            # What was cut off must not take the line that says so for its end.
            text += "\x18" * ("\x1b" in text) + f"\r\n[... {dropped} bytes of output left out ...]\r\n"
        text += self._decoder.decode(tail, final=final)
        text, self._rest = (text, "") if final else without_unfinished(text)
        return text
