"""Cut a long text into parts: at headings, and inside sections only where one is too long."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from stringd.documents.pagination.break_points import BreakPoints, Continued, Rank

# A table's head is repeated if it takes up at most this share of a part.
_REPEATED = 1 / 8
# A part that is at least this full is not extended by the beginning of a unit that does not fit.
_FULL = 3 / 4
_NO_HEADING = 7


class Piece(Struct, frozen=True, kw_only=True):
    """A part of a text from `first` to `last`, and what is added around it so that it can be read alone."""

    first: int
    last: int
    before: str = ""
    after: str = ""


def cut(text: str, sections: Sequence[tuple[int, int]], most: int, first: int | None = None) -> list[Piece]:
    """Cut a text into pieces of at most `most` characters, preferably where a section begins.

    Each section is given by its position and level. The first piece has at most `first` characters, if given.
    """
    cuts = _Cuts(text, _starts(text, sections), most, most if first is None else first)
    places = [0]
    while len(text) - places[-1] > cuts.room(places[-1]):
        places.append(cuts.next_cut(places[-1]))
    bounds = [*_needed(places, len(text), cuts.room), len(text)]
    return [cuts.piece(start, end) for start, end in pairwise(bounds)]


def _starts(text: str, sections: Sequence[tuple[int, int]]) -> list[int]:
    """Return where sections begin, except directly below a parent's heading, which stays with them."""
    apart = (
        place
        for (before, level), (place, its) in pairwise(((0, _NO_HEADING), *sections))
        if its <= level or "\n" in text[before:place].strip()
    )
    return sorted({0, *apart})


def _needed(places: Sequence[int], end: int, room: Callable[[int], int]) -> Iterator[int]:
    """Yield the cuts that are needed to keep every part within the limit."""
    begun = 0
    for place, following in pairwise((*places, end)):
        if place == 0 or following - begun > room(begun):
            yield place
            begun = place


class _Cuts:
    """The candidates for cuts, for each rank those of that rank or better."""

    def __init__(self, text: str, starts: list[int], most: int, first: int) -> None:
        self._text = text
        self._most = most
        self._first = first
        self._continued: list[Continued] = []
        inside = list(self._inside(pairwise((*starts, len(text)))))
        self._ranks = [starts]
        for rank in (Rank.BLOCK, Rank.ITEM, Rank.INNER):
            places = (place for place, its in inside if its is rank)
            self._ranks.append(sorted({*self._ranks[-1], *places}))

    def _inside(self, sections: Iterator[tuple[int, int]]) -> Iterator[tuple[int, Rank]]:
        for first, last in sections:
            if last - first > self._first:
                found = BreakPoints(self._text, first, last)
                self._continued += found.continued
                yield from found.places

    def room(self, start: int) -> int:
        """Return how many characters a part that begins at `start` has room for, beside what is repeated."""
        if start == 0:
            return self._first
        begun = self._around(start)
        return max(self._most - len(begun.again), (self._most + 1) // 2) if begun else self._most

    def next_cut(self, start: int) -> int:
        """Return the end of the part that begins at `start` and is not the last one.

        A unit that fits into a part is not cut; the beginning of one that does not fit fills up the part.
        """
        at, end = start, start + self.room(start)
        for places in self._ranks:
            behind = bisect_right(places, end)
            at = max(at, places[behind - 1])
            following = places[behind] if behind < len(places) else len(self._text)
            if self._ends_well(at - start, end - start, following - at <= self._most):
                return at
        at = max(at, self._text.rfind("\n", at, end) + 1)
        fits = "\n" in self._text[end : at + self._most]
        return at if self._ends_well(at - start, end - start, fits) else self._within_line(start, end)

    def piece(self, first: int, last: int) -> Piece:
        """Return a part with what must be added at its ends."""
        begun, ended = self._around(first), self._around(last)
        before, after = begun.again if begun else "", ended.over if ended else ""
        return Piece(first=first, last=last, before=before, after=after)

    def _ends_well(self, length: int, room: int, fits: bool) -> bool:
        return length > 0 and (fits or length > room * _FULL)

    def _within_line(self, start: int, end: int) -> int:
        blank = self._text.rfind(" ", (start + end) // 2, end)
        return end if blank < 0 else blank + 1

    def _around(self, place: int) -> Continued | None:
        """Return the construct that a cut at a position would split: code, or a table with a small head."""
        number = bisect_right(self._continued, place, key=lambda it: it.first) - 1
        found = self._continued[number] if number >= 0 else None
        if found is None or place >= found.last:
            return None
        is_row = len(found.again) <= self._most * _REPEATED and self._text[place - 1] == "\n"
        return found if found.over or is_row else None
