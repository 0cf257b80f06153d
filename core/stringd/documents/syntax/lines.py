"""Lines of a text with their positions in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

_NEWLINE = re.compile(r"\r\n?|\n")
_NUMBERED_NEWLINE = re.compile(r"\r?\n")
BOM = "\ufeff"
# A line is searched in no more characters.
_STRIDE = 4096


# A dataclass with its own __init__: a worker process may return only records.
@dataclass(init=False, eq=False, repr=False)
class Lines:
    """A text split at its line ends, by default those of Markdown; numbers count from 0."""

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
        """The line end of the text, as its first line has it."""
        match = _NEWLINE.search(self.text)
        return match[0] if match else "\n"

    def __getitem__(self, number: int) -> str:
        """Return a line without its end."""
        return self.text[self._starts[number] : self._ends[number]]

    def start(self, number: int) -> int:
        """Return where a line starts; the line after the last one starts at the end of the text."""
        return self._starts[number] if number < len(self._starts) else len(self.text)

    def slice(self, first: int, last: int) -> str:
        """Return the lines from `first` to `last` (exclusive), with their ends."""
        return self.text[self.start(first) : self.start(last)]

    def number_of(self, position: int) -> int:
        """Return the number of the line that contains a position."""
        return bisect_right(self._starts, position) - 1


def _bounds(text: str, newline: re.Pattern[str]) -> tuple[list[int], list[int]]:
    found = [match.span() for match in newline.finditer(text)]
    return [0, *(end for _, end in found)], [*(start for start, _ in found), len(text)]


def _bounds_at_lf(text: str) -> tuple[list[int], list[int]]:
    """Return the bounds in a text whose only line end is LF, in a third of the time."""
    starts = [0, *accumulate([len(line) + 1 for line in text.split("\n")])]
    end = starts.pop()
    return starts, [start - 1 for start in (*starts[1:], end)]


def numbered_lines(text: str) -> Lines:
    """Split a text as commands and replies number its lines: at each LF, and nowhere else."""
    return Lines(text, _NUMBERED_NEWLINE)


def line_start(text: str, number: int) -> int:
    """Return where a line of `numbered_lines` starts, or the end of the text, without splitting it."""
    if number == 0:
        return len(BOM) if text.startswith(BOM) else 0
    start, end, left = 0, len(text), number
    while end - start > _STRIDE:
        middle = (start + end) // 2
        found = text.count("\n", start, middle)
        if found < left:
            start, left = middle, left - found
        else:
            end = middle
    while left and (start := text.find("\n", start) + 1):
        left -= 1
    return start or len(text)


def line_number(text: str, position: int) -> int:
    """Return the number, from 1, of the line that contains a position of a text."""
    return text.count("\n", 0, position) + 1


@lru_cache(maxsize=64)
def without_line_end(text: str) -> str:
    """Return a text without the line end of its last line, and the same object for the same text."""
    return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n")
