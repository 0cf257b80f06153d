"""What a program's output looks like on a terminal, told reply by reply."""

from __future__ import annotations

import asyncio
import codecs
import re
from typing import TYPE_CHECKING

from stringd_bash.buffer import Buffer
from stringd_bash.sections import section
from stringd_bash.settings import Size

if TYPE_CHECKING:
    from stringd_bash.screen import Screen

# Strings that terminals take as orders: titles, links, capabilities. And colours, which are dropped.
_STRINGS = re.compile(
    r"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\)|\x1b\[[0-9;:<=>?]*m|\x1b[=>]|\x1b\(B"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;:<=>?]*|[\]PX^_][^\x07\x1b]{0,4096})?\Z")
_ENTER, _LEAVE = r"\x1b\[\?(?:1049|1047|47)h", r"\x1b\[\?(?:1049|1047|47)l"
_SWITCH = re.compile(f"({_ENTER})|{_LEAVE}")
_CLEARED = re.compile(r"\x1b\[H\x1b\[[023]?J|\x1b\[2J|\x1bc")
_ADDRESSED = re.compile(r"\x1b\[[0-9;]*[Hfdr]|\x1b\[[23]J|\x1bc")
_MOVED = re.compile(r"\x1b\[[0-9;]*[ABEFJLMSTsu]|\x1b[78DME]")
_REDRAWN = re.compile(r"\A.*(?:\r\x1b\[0?K|\x1b\[2K\r)", re.DOTALL)
_LINE_END = re.compile(r"\r+\n")
_ORDERS = re.compile(r"[\r\b\x1b]")
_INVISIBLE = {**dict.fromkeys([*range(9), *range(11, 32), 127, *range(128, 160)]), 10: "\n", 9: "\t"}
_MODE = re.compile(r"\x1b\[\?[0-9;]*[hl]")
_ERASED = re.compile(r"\x1b\[0?K")
_MODES = re.compile(r"\x1b\[\?(1|2004)([hl])")
# Programs that pass keys on, such as ssh and tmux, do not let the terminal know that the echo is off.
_SECRET = re.compile(r"(?i)\b(?:password|passphrase|passcode|pin|secret|token)\b[^\n]*[:?]\s*\Z")
_PROMPT_LENGTH = 300
_ABOVE = "output before the screen"
_WIDE = 10_000
_ROWS = 24


class View:
    """One program's output: lines as they come, or a screen when it uses the terminal as one."""

    def __init__(self, size: Size) -> None:
        self._size = size
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._screen: Screen | None = None
        self._is_aside = False
        self._modes: set[str] = set()
        self.asks_secret = False
        """Whether the last line sounds as if something secret should be typed."""

    @property
    def application_keys(self) -> bool:
        """Whether the program wants cursor keys in their other spelling."""
        return "1" in self._modes

    @property
    def is_editor(self) -> bool:
        """Whether the program shows what is typed by itself, as editors, pagers and line editors do."""
        return self._is_aside or bool(self._modes)

    def resize(self, size: Size) -> None:
        """Show a screen of another size from now on."""
        self._size = size
        if self._screen:
            self._screen.resize(size.rows, size.columns)

    async def show(self, output: Buffer, *, final: bool) -> str:
        """Return what is new; of a program that uses the terminal as a screen, the screen as it is now."""
        shown = await self._show(output, final=final)
        self.asks_secret = bool(_SECRET.search(shown[-_PROMPT_LENGTH:]))
        return shown

    async def _show(self, output: Buffer, *, final: bool) -> str:
        text = self._text(output, final=final)
        for mode in _MODES.finditer(text):
            (self._modes.add if mode[2] == "h" else self._modes.discard)(mode[1])
        was_aside = self._is_aside
        for switch in _SWITCH.finditer(text):
            self._is_aside = bool(switch[1])
        text_here = _without_asides(text, was_aside)
        is_screen = self._is_aside or bool(_ADDRESSED.search(text_here))
        if not (self._screen or is_screen):
            return await _resolved(text_here)
        above = text if self._is_aside else "" if self._screen else _before_clearing(text)
        picture = await self._picture(above, text[len(above) :])
        if not is_screen:
            return await _resolved(text_here)
        shown = await _resolved(_without_asides(above, was_aside))
        return "\n".join(part for part in (section(_ABOVE, shown.strip("\n")), picture) if part)

    async def _picture(self, above: str, text: str) -> str:
        """Return the screen; what scrolls away before it is told without it."""
        self._screen = self._screen or _new_screen(self._size.rows, self._size.columns)
        await self._screen.feed(above)
        self._screen.forget_scrolled()
        await self._screen.feed(text)
        return self._screen.picture()

    def _text(self, output: Buffer, *, final: bool) -> str:
        head, dropped, tail = output.take()
        text = self._rest + self._decoder.decode(head, final=final or bool(dropped))
        if dropped:
            text += f"\r\n[... {dropped} bytes of output left out ...]\r\n"
        text = _STRINGS.sub("", text + self._decoder.decode(tail, final=final))
        unfinished = None if final else _UNFINISHED.search(text)
        self._rest = unfinished[0] if unfinished else ""
        return text[: unfinished.start()] if unfinished else text


def _new_screen(rows: int, columns: int) -> Screen:
    # Most output needs none, and the library is a third of what this plugin costs at the daemon's start.
    from stringd_bash.screen import Screen

    return Screen(rows, columns)


def _before_clearing(text: str) -> str:
    """Return what a screen has taken the place of, as nobody could see it there."""
    cleared = _CLEARED.search(text)
    return text[: cleared.start()] if cleared else ""


def _without_asides(text: str, is_aside: bool) -> str:
    """Leave out what was shown on the alternate screen."""
    parts, start = [], 0
    for switch in _SWITCH.finditer(text):
        parts.append("" if is_aside else text[start : switch.start()])
        is_aside, start = bool(switch[1]), switch.end()
    parts.append("" if is_aside else text[start:])
    return _MODE.sub("", "".join(parts))


async def _resolved(text: str) -> str:
    if _MOVED.search(text):
        screen = _new_screen(_ROWS, _WIDE)
        await screen.feed(text)
        return screen.picture()
    text = _LINE_END.sub("\n", text)
    if not _ORDERS.search(text):
        return text.translate(_INVISIBLE)
    return await _resolved_lines(text.split("\n"))


async def _resolved_lines(lines: list[str]) -> str:
    screen, resolved = _new_screen(1, _WIDE), []
    for line in lines:
        # Where nothing moves back, there is nothing behind the cursor that could be erased.
        plain = _ERASED.sub("", line)
        if _ORDERS.search(plain):
            resolved.append(await screen.resolve_line(_last_states(line)))
            await asyncio.sleep(0)
        else:
            resolved.append(plain.translate(_INVISIBLE))
    return "\n".join(resolved)


def _last_states(line: str) -> str:
    """Leave out what later redraws of a line cover: a progress bar may have thousands."""
    line = _REDRAWN.sub("", line)
    if "\x1b" in line or "\b" in line or not line.isascii():
        return line
    kept: list[str] = []
    for state in reversed(line.rstrip("\r").split("\r")):
        if not kept or len(state) > len(kept[-1]):
            kept.append(state)
    return "\r".join(reversed(kept))
