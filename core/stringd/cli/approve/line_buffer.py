"""A line that is edited at a terminal in single-key mode: its text, its cursor, and what keys do. Pure."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from enum import Enum, auto
from typing import TypeAlias

from stringd.cli.approve.question_text import columns
from stringd.text.unambiguous_text import unambiguous

_KEYS = re.compile(r"\x1b(?:\[|O)([0-9;]*[A-Za-z~])|(.)", re.DOTALL)
_ESCAPE = "\x1b"
_LEAST_WIDTH = 8


class Entry(Enum):
    """The state of a line after some keys."""

    EDITED = auto()
    ENTERED = auto()
    CANCELLED = auto()


class LineBuffer:
    """A line with a cursor; Enter enters it, Escape and Ctrl-D cancel it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.cursor = len(text)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def press(self, typed: bytes) -> Entry:
        """Apply typed keys, and ignore what follows the end of the line."""
        for found in _KEYS.finditer(self._decoder.decode(typed)):
            sequence, key = found.groups()
            if key in ("\r", "\n"):
                return Entry.ENTERED
            if key in (_ESCAPE, "\x04"):
                return Entry.CANCELLED
            action = _SEQUENCES.get(sequence) if sequence else _CONTROLS.get(key)
            if action:
                action(self)
            elif key and key.isprintable():
                self._insert(key)
        return Entry.EDITED

    def view(self, width: int) -> tuple[str, str]:
        """Return what is shown left of the cursor and from it on, in at most so many columns."""
        width = max(width, _LEAST_WIDTH)
        start = self.cursor
        while start and columns(unambiguous(self.text[start - 1 : self.cursor])) < width:
            start -= 1
        left = unambiguous(self.text[start : self.cursor])
        end = self.cursor
        while end < len(self.text) and columns(left + unambiguous(self.text[self.cursor : end + 1])) <= width:
            end += 1
        return left, unambiguous(self.text[self.cursor : end])

    def _insert(self, character: str) -> None:
        self.text = self.text[: self.cursor] + character + self.text[self.cursor :]
        self.cursor += 1

    def move(self, cursor: int) -> None:
        """Move the cursor, but not beyond the ends."""
        self.cursor = min(max(cursor, 0), len(self.text))

    def delete(self, start: int, end: int) -> None:
        """Delete a range, and leave the cursor there."""
        start = max(start, 0)
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start

    def word_start(self) -> int:
        """Return where the word before the cursor starts."""
        before = self.text[: self.cursor].rstrip()
        return before.rfind(" ") + 1


def _left(line: LineBuffer) -> None:
    line.move(line.cursor - 1)


def _right(line: LineBuffer) -> None:
    line.move(line.cursor + 1)


def _home(line: LineBuffer) -> None:
    line.move(0)


def _end(line: LineBuffer) -> None:
    line.move(len(line.text))


def _backspace(line: LineBuffer) -> None:
    line.delete(line.cursor - 1, line.cursor)


def _delete(line: LineBuffer) -> None:
    line.delete(line.cursor, line.cursor + 1)


def _delete_to_end(line: LineBuffer) -> None:
    line.delete(line.cursor, len(line.text))


def _delete_to_start(line: LineBuffer) -> None:
    line.delete(0, line.cursor)


def _delete_word(line: LineBuffer) -> None:
    line.delete(line.word_start(), line.cursor)


_Action: TypeAlias = Callable[[LineBuffer], None]
_SEQUENCES: dict[str, _Action] = {
    "D": _left,
    "C": _right,
    **dict.fromkeys(("H", "1~", "7~"), _home),
    **dict.fromkeys(("F", "4~", "8~"), _end),
    "3~": _delete,
}
_CONTROLS: dict[str, _Action] = {
    "\x02": _left,
    "\x06": _right,
    "\x01": _home,
    "\x05": _end,
    **dict.fromkeys(("\x7f", "\b"), _backspace),
    "\x0b": _delete_to_end,
    "\x15": _delete_to_start,
    "\x17": _delete_word,
}
