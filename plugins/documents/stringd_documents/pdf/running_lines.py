"""The lines at the top and at the bottom of many pages that are no part of the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from statistics import median

from msgspec import Struct

from stringd_documents.pdf.page_lines import Line
from stringd_documents.pdf.ruled_tables import Grid

_PAGE_NUMBERS = "page numbers"
_FEWEST, _FEWEST_NUMBERED, _SHARE = 5, 3, 0.8
_OUTERMOST = 3
# In heights of a line: the least space between running lines and the text.
_GAP = 1.0
_LARGER = 1.05
_HEIGHT = 10
_NUMBER = re.compile(r"[-–—\[(]?\s*(?:page\s+)?(\w+)(?:\s*(?:of|/)\s*(\d+))?\s*[-–—\])]?", re.IGNORECASE)

RunningLines = Mapping[int, str]
"""The places of the running lines among the lines of a page, and what to call each."""


class PageNumber(Struct, frozen=True, kw_only=True):
    """How a page is numbered: its place in the document, from 1, and the name that the document gives it."""

    number: int
    label: str
    count: int

    def is_stated_by(self, text: str) -> bool:
        """Whether a text is the number of this page, and nothing else."""
        match = _NUMBER.fullmatch(text)
        if match is None or match[2] not in {None, str(self.count)}:
            return False
        return match[1].lower() in {str(self.number), self.label.lower()}


def running_lines(
    pages: Sequence[Sequence[Line]], grids: Sequence[Sequence[Grid]], numbers: Sequence[PageNumber]
) -> list[RunningLines]:
    """Return for each page its number, and the lines outside of tables that are equal on nearly all pages."""
    sizes = [it.size for lines in pages for it in lines]
    largest = median(sizes) * _LARGER if sizes else 0.0
    found = [
        {place: (_name(lines[place], number), round(lines[place].bottom / _HEIGHT)) for place in places}
        for lines, drawn, number in zip(pages, grids, numbers, strict=True)
        for places in [_outermost(lines, drawn, largest)]
    ]
    counts = Counter(chain.from_iterable(set(it.values()) for it in found))
    least = {_PAGE_NUMBERS: _FEWEST_NUMBERED}
    usual = max(_FEWEST, _SHARE * len(pages))
    return [
        {place: key[0] for place, key in it.items() if counts[key] >= least.get(key[0], usual)}
        for it in found
    ]


def notice_of(running: Sequence[RunningLines]) -> str:
    """Return the line that says what is left out, and on how many pages."""
    names = dict.fromkeys(chain.from_iterable(it.values() for it in running))
    count = sum(1 for it in running if it)
    return f"[!] Left out on {count:,} pages: {' · '.join(names)}" if names else ""


def _outermost(lines: Sequence[Line], grids: Sequence[Grid], largest: float) -> set[int]:
    """Return the places of the lines that stand apart at the top and at the bottom, and in no table."""
    order = sorted(range(len(lines)), key=lambda it: -lines[it].top)
    apart = {*_apart(lines, order), *_apart(lines, order[::-1])}
    return {it for it in apart if lines[it].size <= largest and not _is_ruled(lines[it], grids)}


def _is_ruled(line: Line, grids: Sequence[Grid]) -> bool:
    return any(it.holds(line) for it in grids)


def _apart(lines: Sequence[Line], order: Sequence[int]) -> Iterator[int]:
    """Yield the first places, as far as a gap divides them from the others, which are most of the page."""
    most = min(_OUTERMOST, (len(order) - 1) // 2)
    for end in range(1, most + 1):
        last, following = lines[order[end - 1]], lines[order[end]]
        gap = max(last.bottom, following.bottom) - min(last.top, following.top)
        if gap >= _GAP * last.size:
            yield from order[:end]
            return


def _name(line: Line, number: PageNumber) -> str:
    return _PAGE_NUMBERS if number.is_stated_by(line.text) else line.text
