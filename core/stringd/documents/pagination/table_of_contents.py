"""The outline of a long page: its headings, each with the name by which it is opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from stringd.api.outlines import Heading
from stringd.documents.syntax.blocks import Block

MOST_HEADINGS = 200
_LONGEST = 100
_INDENT = "  "

Location = tuple[int, Heading]


def heading_ids(headings: Sequence[Heading], blocks: Mapping[str, Block]) -> Mapping[int, str]:
    """Return what opens the section of each heading, by the heading's first line."""
    ids: dict[int, str] = {}
    for block in blocks.values():
        if block.level is not None:
            ids.setdefault(block.first, block.id)
    for heading in headings:
        # A block that holds the section and nothing else has its name.
        around = blocks.get(heading.id)
        if around and around.first <= heading.first < around.last:
            ids.setdefault(heading.first, heading.id)
    return ids


def contents(
    headings: Sequence[Location], ids: Mapping[int, str], part_of: Callable[[int], int]
) -> Iterator[str]:
    """Yield a line for each heading, with the part in which it stands unless that is the first.

    Of too many, those of the upper levels are listed, or else the first; then a line tells of the others.
    """
    listed = _listed(headings)
    top = min((heading.level for _, heading in listed), default=1)
    for place, heading in listed:
        part = part_of(place)
        where = f", part {part}" if part > 1 else ""
        name = f" #{ids[heading.first]}" if heading.first in ids else ""
        yield f"{_INDENT * (heading.level - top)}- {_shown(heading.text)}{name}{where}"
    if more := len(headings) - len(listed):
        yield f"… and {more:,} more: /open #id shows those of a section, /find text finds any"


def _listed(headings: Sequence[Location]) -> Sequence[Location]:
    """Return the headings of as many levels as there is room for, at least two, or else the first."""
    if len(headings) <= MOST_HEADINGS:
        return headings
    counts = Counter(heading.level for _, heading in headings)
    depth = max((level for level in counts if _up_to(level, counts) <= MOST_HEADINGS), default=0)
    if _up_to(depth, counts) > 1:
        return [it for it in headings if it[1].level <= depth]
    deeper = min(level for level in counts if level > depth)
    return [it for it in headings if it[1].level <= deeper][:MOST_HEADINGS]


def _up_to(depth: int, counts: Mapping[int, int]) -> int:
    return sum(count for level, count in counts.items() if level <= depth)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
