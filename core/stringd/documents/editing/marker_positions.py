"""The places of a text's landmarks, in order, and the blocks that landmarks make."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import zip_longest
from typing import NamedTuple

from stringd.api.outlines import Heading
from stringd.documents.syntax.blocks import Block, Marker
from stringd.documents.syntax.lines import Lines
from stringd.documents.syntax.parser import Directive, Structure, find_blocks

_WRITTEN = re.compile(r"\S")
_LANDMARK, _TEXT = "#", "text"


class Kind(Enum):
    """What makes a landmark."""

    HEADING = auto()
    BEGIN = auto()
    END = auto()
    INCLUDE = auto()


class MarkerPosition(NamedTuple):
    """A heading, a line that begins or ends a block, or an include, wherever it stands."""

    kind: Kind
    id: str
    level: int = 0
    is_authors: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerPositions:
    """The places of a text: where its top-level elements start, and where its landmarks begin and end."""

    starts: Sequence[int] = ()
    landmarks: Sequence[MarkerPosition] = ()
    begins: Sequence[int] = ()
    ends: Sequence[int] = ()

    def __add__(self, other: MarkerPositions) -> MarkerPositions:
        return MarkerPositions(
            starts=[*self.starts, *other.starts],
            landmarks=[*self.landmarks, *other.landmarks],
            begins=[*self.begins, *other.begins],
            ends=[*self.ends, *other.ends],
        )

    def part(self, first: int, last: int, shift: int = 0) -> MarkerPositions:
        """Return what starts from one place up to, but not at, another, and move it."""
        found = between(self.begins, first, last)
        return MarkerPositions(
            starts=[it + shift for it in self.starts[between(self.starts, first, last)]],
            landmarks=self.landmarks[found],
            begins=[it + shift for it in self.begins[found]],
            ends=[it + shift for it in self.ends[found]],
        )


def trail_of(structure: Structure, lines: Lines) -> MarkerPositions:
    """Return the places of what divides a text."""
    found = sorted(_landmarks(structure))
    return MarkerPositions(
        starts=[lines.start(number) for number in structure.starts],
        landmarks=[landmark for _, _, landmark in found],
        begins=[lines.start(first) for first, _, _ in found],
        ends=[lines.start(last) for _, last, _ in found],
    )


def _landmarks(structure: Structure) -> Iterator[tuple[int, int, MarkerPosition]]:
    for heading in structure.headings:
        landmark = MarkerPosition(Kind.HEADING, heading.id, heading.level, heading.mark is not None)
        yield heading.first, heading.last, landmark
    for marker in structure.markers:
        yield (
            marker.line,
            marker.line + 1,
            MarkerPosition(Kind.BEGIN if marker.begins else Kind.END, marker.id),
        )
    for include in structure.includes:
        yield include.line, include.line + 1, MarkerPosition(Kind.INCLUDE, include.name)


def gaps_of(text: str, trail: MarkerPositions) -> Sequence[bool]:
    """Return for each landmark whether anything is written between it and the next."""
    return changed_gaps((), text, trail, range(len(trail.landmarks)))


def changed_gaps(gaps: Sequence[bool], after: str, trail: MarkerPositions, changes: range) -> Sequence[bool]:
    """Look again at the gaps behind the landmarks that changed; there may be more or fewer of them now."""
    ends, nexts = trail.ends[changes.start : changes.stop], trail.begins[changes.start + 1 : changes.stop + 1]
    seen = [_is_written(after, end, start) for end, start in zip_longest(ends, nexts, fillvalue=len(after))]
    kept = len(trail.landmarks) - changes.stop
    return [*gaps[: changes.start], *seen, *gaps[len(gaps) - kept :]]


def _is_written(text: str, start: int, end: int) -> bool:
    return _WRITTEN.search(text, start, end) is not None


def blocks_made_by(landmarks: Sequence[MarkerPosition], gaps: Sequence[bool]) -> Mapping[str, Block]:
    """Return the blocks of a text in which each landmark is a line, and all between two is one."""
    headings, markers, includes = [], [], []
    for bound, it in zip(range(0, 2 * len(landmarks), 2), landmarks, strict=True):
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
    rows = [row for is_written in gaps for row in (_LANDMARK, _TEXT if is_written else "")]
    return find_blocks(structure, rows, [])


def between(places: Sequence[int], first: int, last: int) -> slice:
    """Return which of the sorted places are from one up to, but not at, another."""
    return slice(bisect_left(places, first), bisect_left(places, last))
