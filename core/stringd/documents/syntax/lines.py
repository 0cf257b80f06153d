"""A text as lines whose every byte can be found again."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

_NEWLINE = re.compile(r"\r\n?|\n")
_NUMBERED_NEWLINE = re.compile(r"\r?\n")
BOM = "\ufeff"


# A record, though it makes itself: what is read in a worker process comes back as records alone.
@dataclass(init=False, eq=False, repr=False)
class Lines:
    """A text cut at its line ends, unless told otherwise those that Markdown knows; numbers count from 0."""

    text: str
    _starts: list[int]
    _ends: list[int]

    def __init__(self, text: str, newline: re.Pattern[str] = _NEWLINE) -> None:
        self.text = text
        self._starts, self._ends = _bounds(text, newline) if "\r" in text else _bounds_at_lf(text)
        if len(self._starts) > 1 and self._starts[-1] == len(text):
            self._starts.pop()
            self._ends.pop()
        if text.startswith(BOM):
            self._starts[0] = len(BOM)

    def __len__(self) -> int:
        return len(self._starts)

    @cached_property
    def newline(self) -> str:
        """The text's own line end."""
        match = _NEWLINE.search(self.text)
        return match[0] if match else "\n"

    def __getitem__(self, number: int) -> str:
        """Return one line without its end."""
        return self.text[self._starts[number] : self._ends[number]]

    def start(self, number: int) -> int:
        """Return where a line starts; the line after the last one starts at the text's end."""
        return self._starts[number] if number < len(self._starts) else len(self.text)

    def slice(self, first: int, last: int) -> str:
        """Return the lines from `first` up to, but without, `last`, with their ends."""
        return self.text[self.start(first) : self.start(last)]

    def number_of(self, position: int) -> int:
        """Return the line in which a position of the text lies."""
        return bisect_right(self._starts, position) - 1


def _bounds(text: str, newline: re.Pattern[str]) -> tuple[list[int], list[int]]:
    found = [match.span() for match in newline.finditer(text)]
    return [0, *(end for _, end in found)], [*(start for start, _ in found), len(text)]


def _bounds_at_lf(text: str) -> tuple[list[int], list[int]]:
    """Return the same of a text that has no other line ends, in a third of the time."""
    starts = [0, *accumulate([len(line) + 1 for line in text.split("\n")])]
    behind = starts.pop()
    return starts, [start - 1 for start in (*starts[1:], behind)]


def numbered_lines(text: str) -> Lines:
    """Cut a text as commands and replies number its lines: at each LF, and nowhere else (runtime.md 5)."""
    return Lines(text, _NUMBERED_NEWLINE)


def line_number(text: str, position: int) -> int:
    """Return the number, from 1, of the line in which a position of a text lies."""
    return text.count("\n", 0, position) + 1


def without_line_end(text: str) -> str:
    """Return a text without the end of its last line."""
    return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")
