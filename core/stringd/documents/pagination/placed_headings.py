"""The headings of a text that is no page: found at once, as parsing a long text takes too long."""

from __future__ import annotations

import re

from stringd.api.outlines import Heading
from stringd.documents.pagination.table_of_contents import PlacedHeading

_HEADING_OR_FENCE = re.compile(
    r"^(?:(?P<marks>\#{1,6})[ \t]++(?P<text>[^\n]*+)|(?P<fence>`{3,}+(?=[^`\n]*+$)|~{3,}+)[^\n]*+)",
    re.MULTILINE,
)


def placed_headings(text: str) -> tuple[PlacedHeading, ...]:
    """Return the headings outside of fenced code, each with its position."""
    headings: list[PlacedHeading] = []
    position = 0
    while found := _HEADING_OR_FENCE.search(text, position):
        position = found.end()
        if fence := found["fence"]:
            closing = re.compile(rf"^ {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
            closed = closing.search(text, position)
            position = closed.end() if closed else len(text)
        elif shown := found["text"].strip().rstrip("#").rstrip():
            number = len(headings)
            level = len(found["marks"])
            heading = Heading(first=number, last=number + 1, level=level, text=shown, id="")
            headings.append((found.start(), heading))
    return tuple(headings)
