"""Where the blocks of a text lie, carried along as the text is edited.

Reading all of a large text again after each edit would cost a thousand times the edit. The top-level elements
of CommonMark are read one after the other, and how one is read doesn't depend on what was before it: so only
those around an edit are read again, and the others keep their places.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from stringd.documents.lines import BOM, Lines
from stringd.documents.markdown import FRONTMATTER
from stringd.documents.outline import Block, Heading, Marker, marked_blocks, sections
from stringd.documents.parse import Parsed, References, Structure, parse_part
from stringd.documents.remembered import Remembered
from stringd.documents.sheet import known_sheet, read_sheet
from stringd.text.common import common_ends

# How many top-level elements are read again before the edit, as the end of one may hang on the line below the
# next (a table's head is one only by what follows), and how many beyond the first that must be as it was.
_BEFORE, _BEYOND = 2, 2
# How many elements behind the edit may have become others; if there are more, all of the text is read again.
_REACHES = (0, 4, 32, 256)


class Landmark(NamedTuple):
    """A heading, or a line that begins or ends a block, wherever it stands."""

    id: str
    level: int | None = None
    begins: bool = True
    is_authors: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """The places of a text: where its top-level elements start, and where its landmarks begin and end."""

    starts: Sequence[int]
    landmarks: Sequence[Landmark]
    begins: Sequence[int]
    ends: Sequence[int]

    def __add__(self, other: Trail) -> Trail:
        return Trail(
            starts=[*self.starts, *other.starts],
            landmarks=[*self.landmarks, *other.landmarks],
            begins=[*self.begins, *other.begins],
            ends=[*self.ends, *other.ends],
        )

    def part(self, first: int, last: int, shift: int = 0) -> Trail:
        """Return what starts from one place up to, but not at, another, and move it."""
        found = _between(self.begins, first, last)
        return Trail(
            starts=[it + shift for it in self.starts[_between(self.starts, first, last)]],
            landmarks=self.landmarks[found],
            begins=[it + shift for it in self.begins[found]],
            ends=[it + shift for it in self.ends[found]],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Landmarks:
    """A text's blocks, in bounds instead of lines, and where these bounds are.

    Landmark `n` of the trail begins at bound `2 * n` and ends at the next: an edit that leaves the landmarks
    as they are leaves the blocks as they are.
    """

    text: str
    trail: Trail
    blocks: Mapping[str, Block]
    references: References
    definitions: Sequence[int]
    has_frontmatter: bool

    def place(self, bound: int) -> int:
        """Return where in the text a block's bound is."""
        if bound == 2 * len(self.trail.landmarks):
            return len(self.text)
        return (self.trail.ends if bound % 2 else self.trail.begins)[bound // 2]


class Blocks(Protocol):
    """The blocks of a text, and where in it they are."""

    @property
    def blocks(self) -> Mapping[str, Block]:
        """The blocks by id."""

    def place(self, bound: int, /) -> int:
        """Return where in the text a block's bound is."""


def blocks_of(text: str) -> Blocks:
    """Return a text's blocks, from what is known of it, or of the text that it was made of."""
    known = _known.get(text)
    if known is None and known_sheet(text) is None:
        known = _derived(text)
    return known or read_sheet(text).parsed


def note_edit(before: str, after: str) -> None:
    """Note that one text was made of another."""
    is_known = _known.get(before) or known_sheet(before)
    _origins.keep(after, before if is_known else _origins.get(before) or before, len(after))


def _derived(text: str) -> Landmarks | None:
    origin = _origins.get(text)
    if origin is None:
        return None
    known, sheet = _known.get(origin), known_sheet(origin)
    if known is None and sheet:
        known = _read(sheet.parsed)
    derived = _followed(known, text) if known else None
    if derived:
        _known.keep(text, derived, len(text))
    return derived


def _read(parsed: Parsed) -> Landmarks:
    trail = _trail(parsed.structure, parsed.lines)
    return Landmarks(
        text=parsed.lines.text,
        trail=trail,
        blocks=_blocks(trail.landmarks),
        references=parsed.references,
        definitions=sorted(parsed.lines.start(it.first) for it in parsed.definitions),
        has_frontmatter=parsed.structure.has_frontmatter,
    )


def _trail(structure: Structure, lines: Lines) -> Trail:
    found = sorted((*_headings(structure), *_markers(structure)), key=lambda it: it[0])
    return Trail(
        starts=[lines.start(number) for number in structure.starts],
        landmarks=[landmark for _, _, landmark in found],
        begins=[lines.start(first) for first, _, _ in found],
        ends=[lines.start(last) for _, last, _ in found],
    )


def _headings(structure: Structure) -> Iterator[tuple[int, int, Landmark]]:
    for it in structure.headings:
        yield it.first, it.last, Landmark(id=it.id, level=it.level, is_authors=it.mark is not None)


def _markers(structure: Structure) -> Iterator[tuple[int, int, Landmark]]:
    for it in structure.markers:
        yield it.line, it.line + 1, Landmark(id=it.id, begins=it.begins)


def _blocks(landmarks: Sequence[Landmark]) -> Mapping[str, Block]:
    """Return the blocks of a text in which each landmark is a line, and so is all between two."""
    headings, markers = [], []
    for bound, it in enumerate(landmarks):
        first, last = 2 * bound, 2 * bound + 1
        if it.level is None:
            markers.append(Marker(line=first, id=it.id, begins=it.begins))
        else:
            mark = (first, last) if it.is_authors else None
            headings.append(Heading(first=first, last=last, level=it.level, text=it.id, id=it.id, mark=mark))
    marked = marked_blocks(markers, [])
    return {**sections(headings, 2 * len(landmarks), marked), **marked}


def _followed(known: Landmarks, after: str) -> Landmarks | None:
    """Return the landmarks of an edited text; None where it is as well read anew."""
    starts = known.trail.starts
    head, tail = common_ends(known.text, after)
    first = max(bisect_left(starts, head) - _BEFORE, int(known.has_frontmatter))
    behind = bisect_right(starts, len(known.text) - tail)
    if _may_change_frontmatter(known, after, head):
        return None
    tries = (_read_again(known, after, first, behind + reach) for reach in _REACHES)
    return next(filter(None, tries), None)


def _may_change_frontmatter(known: Landmarks, after: str, head: int) -> bool:
    """Whether an edit from `head` on reaches the frontmatter, or could make one: its end may be anywhere."""
    if known.has_frontmatter:
        rest = _place(known, 1)
        return head < rest or rest == len(known.text)
    return any(text.removeprefix(BOM).startswith(FRONTMATTER) for text in (known.text, after))


def _read_again(known: Landmarks, after: str, first: int, rest: int) -> Landmarks | None:
    """Read the elements from `first` on again; None if those from `rest` on would not stay what they are."""
    begin = _place(known, first) if first else 0
    joint, end = _place(known, rest), _place(known, rest + _BEYOND)
    shift = len(after) - len(known.text)
    changed = _new_part(known, after, begin, end, shift)
    if changed is None or (joint < len(known.text) and joint + shift not in changed.starts):
        return None
    trail = (
        known.trail.part(0, begin)
        + changed.part(begin, joint + shift)
        + known.trail.part(joint, len(known.text), shift)
    )
    same = trail.landmarks == known.trail.landmarks
    return Landmarks(
        text=after,
        trail=trail,
        blocks=known.blocks if same else _blocks(trail.landmarks),
        references=known.references,
        definitions=[it if it < begin else it + shift for it in known.definitions],
        has_frontmatter=known.has_frontmatter,
    )


def _new_part(known: Landmarks, after: str, begin: int, end: int, shift: int) -> Trail | None:
    """Return the places of the part that is read again; None if it has to do with link references."""
    definitions = _between(known.definitions, begin, end)
    if definitions.start < definitions.stop:
        return None
    part = after[begin : end + shift]
    if begin and part.startswith(BOM):
        return None
    structure = parse_part(part, known.references)
    if structure is None:
        return None
    return _trail(structure, Lines(part)).part(0, len(part) + 1, begin)


def _place(known: Landmarks, number: int) -> int:
    starts = known.trail.starts
    return starts[number] if number < len(starts) else len(known.text)


def _between(places: Sequence[int], first: int, last: int) -> slice:
    return slice(bisect_left(places, first), bisect_left(places, last))


_known: Remembered[str, Landmarks] = Remembered()
_origins: Remembered[str, str] = Remembered()
