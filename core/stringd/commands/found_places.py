"""The places of a text that `/find` lists: each with its section and the text around it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from stringd.documents.pages.page_search import find_shown
from stringd.documents.pagination.numbered_parts import Parts
from stringd.documents.syntax.shortcuts import Shortcut

MOST_LINES = 50
# A single letter may occur ten million times in a page.
MOST_FOUND = 10_000
_AROUND = 80
_TOP = "(top)"


def found_in(text: str, shortcuts: Collection[Shortcut], wanted: str) -> list[tuple[int, int]]:
    """Return the spans of a shown text that a search finds, up to a number."""
    return list(islice(find_shown(text, wanted, shortcuts), MOST_FOUND))


def place_lines(
    parts: Parts, found: Sequence[tuple[int, int]], page: str = "", most: int = MOST_LINES
) -> Iterator[str]:
    """Yield a line for each place of a text, with its section, behind the name of the page."""
    places = list(_snippets(parts.text, found))
    for start, snippet in places[:most]:
        part = f" (part {parts.number_at(start)})" if parts.count > 1 else ""
        section = parts.section_at(start)
        where = f"#{section}" if section else ("" if page else _TOP)
        yield f"{page}{where}{part}: {snippet}"
    if (more := len(places) - most) > 0:
        yield f"… and {more:,} more places: what is longer is found less often"


def _snippets(text: str, found: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yield each match and its context within the line, skipping matches that an earlier context shows."""
    reached = 0
    for start, end in found:
        if end > reached:
            line_end = text.find("\n", end)
            line = text.rfind("\n", 0, start) + 1, len(text) if line_end < 0 else line_end
            first, reached = max(line[0], start - _AROUND), min(line[1], end + _AROUND)
            snippet = " ".join(text[first:reached].split())
            yield start, f"{'…' * (first > line[0])}{snippet}{'…' * (reached < line[1])}"
