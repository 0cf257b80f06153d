"""The points where a long section can be cut: between paragraphs, items and rows, and around code.

Found with regular expressions, since parsing the largest page that can be loaded takes twenty seconds.
"""

from __future__ import annotations

import re
from enum import IntEnum

from msgspec import Struct

_MARKER = r"(?:[-*+]|\d{1,9}[.)])[ \t]"
_CONSTRUCT = re.compile(
    rf"""^(?:
    (?P<blank>(?:[ \t>]*+\r?\n)++)|
    (?P<heading>\#{{1,6}}[ \t][^\n]*+\n?)|
    (?P<ahead>[ \t>]*+(?:{_MARKER}++)*+)(?P<fence>`{{3,}}+(?=[^`\n]*+$)|~{{3,}}+)[^\n]*+\n?|
    (?P<delimiters>[ \t>]*+\|?(?:[ \t]*+:?-++:?[ \t]*+\|)+(?:[ \t]*+:?-++:?[ \t]*+)?\r?$\n?)|
    (?P<inner>[ \t>]*+)(?:{_MARKER}|\|)
    )""",
    re.MULTILINE | re.VERBOSE,
)
_ROWS = re.compile(r"(?:[^\n|]*+\|[^\n]*+\n?)*+")
_ROW = re.compile(r"^[^\n]", re.MULTILINE)
_NOT_QUOTED = re.compile(r"[^>\s]")


class Rank(IntEnum):
    """What begins at a break point; the lower the rank, the better the cut."""

    SECTION = 0
    BLOCK = 1
    ITEM = 2
    INNER = 3


class Continued(Struct, frozen=True, kw_only=True):
    """Fenced code or table rows, from `first` to `last`.

    A cut inside appends `over` to the part before it, and prepends `again` to the part after it.
    """

    first: int
    last: int
    again: str
    over: str = ""


class BreakPoints:
    """The break points of a span of a text, and the multi-line constructs in it."""

    def __init__(self, text: str, first: int, last: int) -> None:
        self.places: list[tuple[int, Rank]] = []
        self.continued: list[Continued] = []
        self._text = text
        self._last = last
        self._below_heading = -1
        while found := _CONSTRUCT.search(text, first, last):
            first = max(self._read(found), found.end())

    def _read(self, found: re.Match[str]) -> int:
        """Record the construct at a match, and return its end."""
        if found["blank"]:
            self._take_blank(found)
        elif found["heading"]:
            self._add(found.start(), Rank.BLOCK)
            self._below_heading = found.end()
        elif found["fence"]:
            return self._take_code(found)
        elif found["delimiters"]:
            return self._take_table(found)
        else:
            self._add(found.start(), Rank.INNER if found["inner"] else Rank.ITEM)
        return found.end()

    def _add(self, place: int, rank: Rank) -> None:
        """Add a break point, except right below a heading, which stays with its text."""
        if place >= self._last or place == self._below_heading:
            return
        if self.places and self.places[-1][0] == place:
            rank = min(rank, self.places.pop()[1])
        self.places.append((place, rank))

    def _take_blank(self, found: re.Match[str]) -> None:
        end = found.end()
        if found.start() == self._below_heading:
            self._below_heading = end
        self._add(end, Rank.INNER if self._text[end : end + 1].isspace() else Rank.BLOCK)

    def _take_code(self, found: re.Match[str]) -> int:
        mark, start = found["fence"], found.start()
        self._add(start, Rank.INNER)
        closing = re.compile(rf"^[ \t>]*+{mark[0]}{{{len(mark)},}}+[ \t]*+\r?$\n?", re.MULTILINE)
        closed = closing.search(self._text, found.end(), self._last)
        last = closed.end() if closed else self._last
        over = f"{_NOT_QUOTED.sub(' ', found['ahead'])}{mark}\n"
        self.continued.append(Continued(first=found.end(), last=last, again=found[0], over=over))
        self._add(last, Rank.INNER)
        return last

    def _take_table(self, found: re.Match[str]) -> int:
        first = found.end()
        head = self._text.rfind("\n", 0, found.start() - 1) + 1 if found.start() else 0
        if "|" not in self._text[head : found.start()]:
            return first
        rows = _ROWS.match(self._text, first, self._last)
        last = rows.end() if rows else first
        for row in _ROW.finditer(self._text, first, last):
            self._add(row.start(), Rank.ITEM)
        self.continued.append(Continued(first=first, last=last, again=self._text[head:first]))
        return last
