"""Show long texts in parts, each with its number and how to see the next one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from msgspec import Struct

from stringd.documents.pagination.splitting import Piece, cut
from stringd.documents.pagination.table_of_contents import PlacedHeading, TableOfContents
from stringd.documents.syntax.lines import line_number, without_line_end
from stringd.errors import ErrorCode, Refusal
from stringd.text.formatting import counted
from stringd.text.head_and_tail import line_pieces

PART = "--part"
_LINE_END = "\n"
_BLANK_LINES = ("\n\n", "\n\r\n")
# What the head and the foot of a part take, beside the names in them.
_AROUND = 140
_LONGEST_ID = 60
# The outline takes up at most this share of the first part.
_OUTLINE = 1 / 4
# What a part has room for at least, however long its name is: of one with less, there would be too many.
_LEAST = 1 / 20
# The outline leaves the first part at least this share of its room.
_LEFT = 1 / 2


class Naming(Struct, frozen=True, kw_only=True):
    """How a text in parts is called: in marks such as `[page]`, in refusals, and in the command for a part.

    `outline` tells how to see what an outline lists, and `others` how to find what it doesn't.
    """

    mark: str
    title: str
    command: str
    outline: str
    others: str


class LongText(Protocol):
    """A text that may be too long to be shown at once; of a short one, nothing but the text is asked for."""

    @property
    def text(self) -> str:
        """All of it."""

    @property
    def is_plain(self) -> bool:
        """Whether it is not Markdown, so that nothing counts in it but lines."""

    @property
    def naming(self) -> Naming:
        """How it and its parts are called."""

    @property
    def headings(self) -> Sequence[PlacedHeading]:
        """Its headings, with their positions."""

    @property
    def ids(self) -> Mapping[int, str]:
        """The ids of the headings' sections, by the first lines of the headings."""


class Parts:
    """The parts of a long text, each of which is shown in at most `most` characters."""

    def __init__(self, shown: LongText, most: int) -> None:
        self.text = shown.text
        self._shown = shown
        self._most = most
        self._listed = 0
        self._pieces = self._cut() if len(self.text) > most else []

    @property
    def count(self) -> int:
        """The number of parts."""
        return len(self._pieces) or 1

    def number_at(self, place: int) -> int:
        """Return the number of the part that contains a position of the text."""
        return max(bisect_right(self._pieces, place, key=lambda it: it.first), 1)

    def section_at(self, place: int) -> str | None:
        """Return the id of the section that contains a position of the text, if it has one."""
        behind = bisect_right(self._places, place)
        return self._shown.ids.get(self._shown.headings[behind - 1][1].first) if behind else None

    def view(self, number: int) -> str:
        """Return the text of a part with its head and foot; refuse a number that is out of range."""
        if not 1 <= number <= self.count:
            are = f"{self._shown.naming.title} has {counted(self.count, 'part')}."
            raise Refusal(ErrorCode.NOT_FOUND, f"Part not found: {number}", are)
        if not self._pieces:
            return without_line_end(self.text)
        piece = self._pieces[number - 1]
        head = "\n".join(self._head(piece, number))
        text = f"{piece.before}{self.text[piece.first : piece.last]}"
        text += f"{'' if text.endswith(_LINE_END) else _LINE_END}{piece.after}"
        gap = "" if text.endswith(_BLANK_LINES) else _LINE_END
        return f"{head}\n\n{text}{gap}{self._foot(piece, number)}"

    def outline(self) -> str:
        """Return the size of the text and its headings, without the text."""
        naming = self._shown.naming
        parts = f", {counted(self.count, 'part')}" if self.count > 1 else ""
        head = f"{naming.mark} {_characters(len(self.text))}{parts}"
        if not self._shown.headings:
            return f"{head}\n[outline] no headings"
        room = self._most - len(naming.outline) - _AROUND
        most, _ = self._contents.fitting(room, self.count)
        lines = self._contents.lines(self.number_at, most)
        return "\n".join((head, f"[outline] {naming.outline}", *lines))

    @cached_property
    def _places(self) -> list[int]:
        return [place for place, _ in self._shown.headings]

    @cached_property
    def _contents(self) -> TableOfContents:
        shown = self._shown
        return TableOfContents(headings=shown.headings, ids=shown.ids, others=shown.naming.others)

    def _cut(self) -> list[Piece]:
        """Cut the text so that each part has room for what is shown around it."""
        naming = self._shown.naming
        named = _AROUND + 2 * len(naming.mark) + len(naming.command)
        room = max(self._most - named, int(self._most * _LEAST))
        if self._shown.is_plain:
            return [Piece(first=first, last=last) for first, last in line_pieces(self.text, room)]
        taken = 0
        if self._shown.headings:
            # No part has a longer number than this one.
            last = 10 ** len(str(2 * len(self.text) // room))
            longest = min(int(self._most * _OUTLINE), int(room * (1 - _LEFT)) - len(naming.outline))
            self._listed, taken = self._contents.fitting(longest, last)
            taken += len(naming.outline) if self._listed else 0
        sections = [(place, heading.level) for place, heading in self._shown.headings]
        return cut(self.text, sections, room, room - taken)

    def _head(self, piece: Piece, number: int) -> Iterator[str]:
        mark, of = self._shown.naming.mark, f"part {number} of {self.count}"
        if number > 1:
            yield f"{mark} {of}{self._within(piece)}"
            return
        yield f"{mark} {_characters(len(self.text))}, {of}"
        if self._listed:
            yield f"[outline] {self._shown.naming.outline}"
            yield from self._contents.lines(self.number_at, self._listed)

    def _within(self, piece: Piece) -> str:
        """Return where in the text a part begins, unless that is at a heading."""
        if self._shown.is_plain:
            return f", from line {line_number(self.text, piece.first)}"
        section = None if piece.first in self._places else self.section_at(piece.first)
        return f", in #{section}" if section and len(section) <= _LONGEST_ID else ""

    def _foot(self, piece: Piece, number: int) -> str:
        mark, left = self._shown.naming.mark, len(self.text) - piece.last
        if not left:
            return f"{mark} part {number} of {self.count} is the last one"
        following = f"{self._shown.naming.command} {PART} {number + 1}"
        return f"{mark} {_characters(left)} left — {following}"


def _characters(number: int) -> str:
    return f"{number:,} {'character' if number == 1 else 'characters'}"
