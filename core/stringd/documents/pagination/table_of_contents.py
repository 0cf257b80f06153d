"""The table of contents of a long page: its headings, each with the id that opens it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from stringd.api.outlines import Heading
from stringd.documents.syntax.blocks import Block
from stringd.text.formatting import shortened

MOST_HEADINGS = 200
_LONGEST = 100
_INDENT = "  "
_HEADING_OR_FENCE = re.compile(
    r"^(?:(?P<marks>\#{1,6})[ \t]++(?P<text>[^\n]*+)|(?P<fence>`{3,}+(?=[^`\n]*+$)|~{3,}+)[^\n]*+)",
    re.MULTILINE,
)

PlacedHeading = tuple[int, Heading]


def heading_ids(headings: Sequence[Heading], blocks: Mapping[str, Block]) -> Mapping[int, str]:
    """Return the id that opens the section of each heading, by the heading's first line."""
    ids: dict[int, str] = {}
    for block in blocks.values():
        if block.level is not None:
            ids.setdefault(block.first, block.id)
    for heading in headings:
        # A block that holds nothing but the section has the heading's id.
        around = blocks.get(heading.id)
        if around and around.first <= heading.first < around.last:
            ids.setdefault(heading.first, heading.id)
    return ids


class TableOfContents(Struct, frozen=True, kw_only=True):
    """The headings of a long text, with the ids that open their sections, and how to see those not listed."""

    headings: Sequence[PlacedHeading]
    ids: Mapping[int, str]
    others: str

    def fitting(self, longest: int, last_part: int) -> tuple[int, int]:
        """Return how many headings can be listed in so many characters, and how many these take at most."""
        most = MOST_HEADINGS
        while most:
            taken = sum(len(line) + 1 for line in self.lines(lambda _: last_part, most))
            if taken <= longest:
                return most, taken
            most = most * 3 // 4
        return 0, 0

    def lines(self, part_of: Callable[[int], int], most: int) -> Iterator[str]:
        """Yield a line for each heading, with the number of its part unless that is the first.

        Of more than `most` headings, list the upper levels or else the first ones, and count the others.
        """
        listed = _listed(self.headings, most)
        top = min((heading.level for _, heading in listed), default=1)
        for place, heading in listed:
            part = part_of(place)
            where = f", part {part}" if part > 1 else ""
            name = f" #{self.ids[heading.first]}" if heading.first in self.ids else ""
            yield f"{_INDENT * (heading.level - top)}- {_shown(heading.text)}{name}{where}"
        if more := len(self.headings) - len(listed):
            yield f"… and {more:,} more: {self.others}"


def _listed(headings: Sequence[PlacedHeading], most: int) -> Sequence[PlacedHeading]:
    """Return the headings of as many levels as fit, at least two headings, or else the first ones."""
    if len(headings) <= most:
        return headings
    counts = Counter(heading.level for _, heading in headings)
    depth = max((level for level in counts if _up_to(level, counts) <= most), default=0)
    if _up_to(depth, counts) > 1:
        return [it for it in headings if it[1].level <= depth]
    deeper = min(level for level in counts if level > depth)
    return [it for it in headings if it[1].level <= deeper][:most]


def _up_to(depth: int, counts: Mapping[int, int]) -> int:
    return sum(count for level, count in counts.items() if level <= depth)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return shortened(line, _LONGEST)


def placed_headings(text: str) -> tuple[PlacedHeading, ...]:
    """Return the headings outside of fenced code, each with its position.

    For a text that is no page: they are found at once, while parsing a long text takes too long.
    """
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
