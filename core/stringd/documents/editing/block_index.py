"""Where the blocks of a text lie, carried along as the text is edited.

Reading all of a large text again after each edit would cost a thousand times the edit. The top-level elements
of CommonMark are read one after the other, and how one is read doesn't depend on what was before it: so only
those around an edit are read again, and the others keep their places.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from stringd.documents.editing.marker_positions import (
    MarkerPositions,
    between,
    blocks_made_by,
    changed_gaps,
    gaps_of,
    trail_of,
)
from stringd.documents.pages.lru_cache import Remembered
from stringd.documents.pages.parsing import known_sheet, read_sheet
from stringd.documents.syntax.blocks import Block
from stringd.documents.syntax.lines import BOM, Lines
from stringd.documents.syntax.markdown import FRONTMATTER
from stringd.documents.syntax.parser import Parsed, References, parse_part
from stringd.text.common_ends import common_ends

# How many top-level elements are read again before the edit, as the end of one may hang on the line below the
# next (a table's head is one only by what follows), and how many beyond the first that must be as it was.
_BEFORE, _BEYOND = 2, 2
# How many elements behind the edit may have become others; if there are more, all of the text is read again.
_REACHES = (0, 4, 32, 256)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockIndex:
    """A text's blocks, in bounds instead of lines, and where these bounds are.

    Landmark `n` of the trail begins at bound `2 * n` and ends at the next; `gaps` tells whether anything is
    written between the two. An edit that changes neither leaves the blocks as they are.
    """

    text: str
    trail: MarkerPositions
    gaps: Sequence[bool]
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
    return _found(text)


def landmark_places(text: str) -> Sequence[int]:
    """Return where a text's landmarks begin, from what is known of it, or of the text that it was made of."""
    found = _found(text)
    trail = found.trail if isinstance(found, BlockIndex) else trail_of(found.structure, found.lines)
    return trail.begins


def note_edit(before: str, after: str) -> None:
    """Note that one text was made of another."""
    is_known = _known.get(before) or known_sheet(before)
    _origins.keep(after, before if is_known else _origins.get(before) or before, len(after))


def _found(text: str) -> BlockIndex | Parsed:
    known = _known.get(text)
    if known is None and known_sheet(text) is None:
        known = _derived(text)
    return known or read_sheet(text).parsed


def _derived(text: str) -> BlockIndex | None:
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


def _read(parsed: Parsed) -> BlockIndex:
    text, trail = parsed.lines.text, trail_of(parsed.structure, parsed.lines)
    gaps = gaps_of(text, trail)
    return BlockIndex(
        text=text,
        trail=trail,
        gaps=gaps,
        blocks=blocks_made_by(trail.landmarks, gaps),
        references=parsed.references,
        definitions=sorted(parsed.lines.start(it.first) for it in parsed.definitions),
        has_frontmatter=parsed.body > 0,
    )


def _followed(known: BlockIndex, after: str) -> BlockIndex | None:
    """Return the landmarks of an edited text; None where it is as well read anew."""
    starts = known.trail.starts
    head, tail = common_ends(known.text, after)
    first = max(bisect_left(starts, head) - _BEFORE, int(known.has_frontmatter))
    behind = bisect_right(starts, len(known.text) - tail)
    if _may_change_frontmatter(known, after, head):
        return None
    tries = (_read_again(known, after, first, behind + reach) for reach in _REACHES)
    return next(filter(None, tries), None)


def _may_change_frontmatter(known: BlockIndex, after: str, head: int) -> bool:
    """Whether an edit from `head` on reaches the frontmatter, or could make one: its end may be anywhere."""
    if known.has_frontmatter:
        rest = _place(known, 1)
        return head < rest or rest == len(known.text)
    return any(text.removeprefix(BOM).startswith(FRONTMATTER) for text in (known.text, after))


def _read_again(known: BlockIndex, after: str, first: int, rest: int) -> BlockIndex | None:
    """Read the elements from `first` on again; None if those from `rest` on would not stay what they are."""
    begin = _place(known, first) if first else 0
    joint, end = _place(known, rest), _place(known, rest + _BEYOND)
    shift = len(after) - len(known.text)
    changed = _new_part(known, after, begin, end, shift)
    if changed is None or (joint < len(known.text) and joint + shift not in changed.starts):
        return None
    head = known.trail.part(0, begin)
    middle = changed.part(begin, joint + shift)
    trail = head + middle + known.trail.part(joint, len(known.text), shift)
    changes = range(max(len(head.landmarks) - 1, 0), len(head.landmarks) + len(middle.landmarks))
    gaps = changed_gaps(known.gaps, after, trail, changes)
    same = trail.landmarks == known.trail.landmarks and gaps == known.gaps
    return BlockIndex(
        text=after,
        trail=trail,
        gaps=gaps,
        blocks=known.blocks if same else blocks_made_by(trail.landmarks, gaps),
        references=known.references,
        definitions=[it if it < begin else it + shift for it in known.definitions],
        has_frontmatter=known.has_frontmatter,
    )


def _new_part(known: BlockIndex, after: str, begin: int, end: int, shift: int) -> MarkerPositions | None:
    """Return the places of the part that is read again; None if it has to do with link references."""
    definitions = between(known.definitions, begin, end)
    if definitions.start < definitions.stop:
        return None
    part = after[begin : end + shift]
    if begin and part.startswith(BOM):
        return None
    structure = parse_part(part, known.references)
    return trail_of(structure, Lines(part)).part(0, len(part) + 1, begin) if structure else None


def _place(known: BlockIndex, number: int) -> int:
    starts = known.trail.starts
    return starts[number] if number < len(starts) else len(known.text)


_known: Remembered[str, BlockIndex] = Remembered()
_origins: Remembered[str, str] = Remembered()
