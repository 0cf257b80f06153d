"""The block boundaries of a text, their positions, and the blocks that they form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from msgspec import Struct

from stringd.api.outlines import Heading
from stringd.documents.editing.shifted_places import ShiftedPlaces
from stringd.documents.syntax.blocks import Block, Marker
from stringd.documents.syntax.lines import Lines
from stringd.documents.syntax.parser import Directive, Structure, find_blocks

_WRITTEN = re.compile(r"\S")
_BOUNDARY, _TEXT = "#", "text"


class Kind(Enum):
    """What forms a boundary."""

    HEADING = auto()
    BEGIN = auto()
    END = auto()
    INCLUDE = auto()


class BlockBoundary(NamedTuple):
    """A heading, a line that begins or ends a block, or an include, regardless of its position."""

    kind: Kind
    id: str
    level: int = 0
    is_authors: bool = False


class MarkerPositions(Struct, frozen=True, kw_only=True):
    """Where the top-level elements of a text start, and where its block boundaries begin and end."""

    starts: ShiftedPlaces
    boundaries: Sequence[BlockBoundary]
    begins: ShiftedPlaces
    ends: ShiftedPlaces

    def replaced(self, first: int, last: int, new: MarkerPositions, shift: int) -> MarkerPositions:
        """Replace what starts in the range from `first` to `last`, and shift what starts behind it."""
        elements, found = self.starts.between(first, last), self.begins.between(first, last)
        return MarkerPositions(
            starts=self.starts.replaced(elements, new.starts, shift),
            boundaries=[*self.boundaries[: found.start], *new.boundaries, *self.boundaries[found.stop :]],
            begins=self.begins.replaced(found, new.begins, shift),
            ends=self.ends.replaced(found, new.ends, shift),
        )

    def part(self, first: int, last: int) -> MarkerPositions:
        """Return what starts in the range from `first` to `last`."""
        found = self.begins.between(first, last)
        return MarkerPositions(
            starts=ShiftedPlaces(self.starts[self.starts.between(first, last)]),
            boundaries=self.boundaries[found],
            begins=ShiftedPlaces(self.begins[found]),
            ends=ShiftedPlaces(self.ends[found]),
        )


def positions_of(structure: Structure, lines: Lines, begin: int = 0) -> MarkerPositions:
    """Return the block boundaries of a text with their positions; `begin` is that of the text itself."""
    found = sorted(_boundaries(structure))
    return MarkerPositions(
        starts=ShiftedPlaces([begin + lines.start(number) for number in structure.starts]),
        boundaries=[it for _, _, it in found],
        begins=ShiftedPlaces([begin + lines.start(first) for first, _, _ in found]),
        ends=ShiftedPlaces([begin + lines.start(last) for _, last, _ in found]),
    )


def _boundaries(structure: Structure) -> Iterator[tuple[int, int, BlockBoundary]]:
    for heading in structure.headings:
        boundary = BlockBoundary(Kind.HEADING, heading.id, heading.level, heading.mark is not None)
        yield heading.first, heading.last, boundary
    for marker in structure.markers:
        yield (
            marker.line,
            marker.line + 1,
            BlockBoundary(Kind.BEGIN if marker.begins else Kind.END, marker.id),
        )
    for include in structure.includes:
        yield include.line, include.line + 1, BlockBoundary(Kind.INCLUDE, include.name)


def gaps_of(text: str, positions: MarkerPositions) -> Sequence[bool]:
    """Return for each boundary whether there is text between it and the next."""
    return changed_gaps((), text, positions, range(len(positions.boundaries)))


def changed_gaps(
    gaps: Sequence[bool], after: str, positions: MarkerPositions, changes: range
) -> Sequence[bool]:
    """Update the gaps after the boundaries that changed, whose number may differ."""
    ends = positions.ends[changes.start : changes.stop]
    nexts = positions.begins[changes.start + 1 : changes.stop + 1]
    seen = [_is_written(after, end, start) for end, start in zip_longest(ends, nexts, fillvalue=len(after))]
    kept = len(positions.boundaries) - changes.stop
    return [*gaps[: changes.start], *seen, *gaps[len(gaps) - kept :]]


def _is_written(text: str, start: int, end: int) -> bool:
    return _WRITTEN.search(text, start, end) is not None


class Layout(Struct, frozen=True, kw_only=True, dict=True):
    """The block boundaries of a text, wherever they are, and whether there is text after each of them."""

    boundaries: Sequence[BlockBoundary]
    gaps: Sequence[bool]

    @property
    def are_found(self) -> bool:
        """Whether the blocks have been found."""
        return "blocks" in vars(self)

    @cached_property
    def blocks(self) -> Mapping[str, Block]:
        """The blocks that they form, found when they are first asked for."""
        return _blocks_made_by(self.boundaries, self.gaps)


def _blocks_made_by(boundaries: Sequence[BlockBoundary], gaps: Sequence[bool]) -> Mapping[str, Block]:
    """Return the blocks of a text in which each boundary is one line, and the text after it another."""
    headings, markers, includes = [], [], []
    for bound, it in zip(range(0, 2 * len(boundaries), 2), boundaries, strict=True):
        if it.kind is Kind.HEADING:
            mark = (bound, bound) if it.is_authors else None
            headings.append(
                Heading(first=bound, last=bound + 1, level=it.level, text=it.id, id=it.id, mark=mark)
            )
        elif it.kind is Kind.INCLUDE:
            includes.append(Directive(kind="include", name=it.id, target="", line=bound))
        else:
            markers.append(Marker(line=bound, id=it.id, begins=it.kind is Kind.BEGIN))
    structure = Structure(headings=tuple(headings), markers=tuple(markers), includes=tuple(includes))
    rows = [row for is_written in gaps for row in (_BOUNDARY, _TEXT if is_written else "")]
    return find_blocks(structure, rows, [])
