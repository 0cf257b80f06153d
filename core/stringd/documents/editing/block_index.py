"""The positions of a text's blocks, updated incrementally as the text is edited.

Parsing a large text again after each edit would cost a thousand times the edit. CommonMark parses top-level
elements one after the other, independently of those before: so only the elements around an edit are parsed
again, and the positions of the others are shifted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from stringd.documents.editing.marker_positions import (
    Layout,
    MarkerPositions,
    changed_gaps,
    gaps_of,
    positions_of,
)
from stringd.documents.editing.shifted_places import ShiftedPlaces
from stringd.documents.pages.cached_parsing import known_sheet, read_sheet
from stringd.documents.pages.file_pages import SMALL
from stringd.documents.syntax.blocks import Block
from stringd.documents.syntax.lines import BOM, Lines
from stringd.documents.syntax.markdown import FRONTMATTER
from stringd.documents.syntax.parser import Parsed, References, parse_part
from stringd.text.diff import common_ends
from stringd.text.lru_cache import LruCache
from stringd.workers.threads import READING

# How many top-level elements are parsed again before the edit, since the end of one may depend on the line
# after the next (as with a table's head), and how many after the first that must be unchanged.
_BEFORE, _BEYOND = 2, 2
# How many elements after the edit may have changed; beyond that, the whole text is parsed again.
_REACHES = (0, 4, 32, 256)


class BlockIndex(Struct, frozen=True, kw_only=True):
    """A text's blocks, in terms of bounds instead of lines, and the positions of these bounds.

    Boundary `n` begins at bound `2 * n` and ends at the next. The blocks change only if the layout does: the
    boundaries, or whether there is text after each.
    """

    text: str
    positions: MarkerPositions
    layout: Layout
    references: References
    definitions: ShiftedPlaces
    has_frontmatter: bool

    @property
    def blocks(self) -> Mapping[str, Block]:
        """The blocks by id."""
        return self.layout.blocks

    def place(self, bound: int) -> int:
        """Return the position of a bound in the text."""
        if bound == 2 * len(self.positions.boundaries):
            return len(self.text)
        return (self.positions.ends if bound % 2 else self.positions.begins)[bound // 2]


class Reparsed(Struct, frozen=True, kw_only=True):
    """A text after an edit, and the positions in it that replace those from `begin` to `end` before it.

    `whole` is its index if it was parsed as a whole.
    """

    before: BlockIndex
    after: str
    begin: int
    end: int
    part: MarkerPositions
    whole: BlockIndex | None = None

    @property
    def shift(self) -> int:
        """How far the edit has shifted what is behind it."""
        return len(self.after) - len(self.before.text)

    @property
    def boundaries_before(self) -> Sequence[int]:
        """Where boundaries began before the edit, unless they certainly still do."""
        begins = self.before.positions.begins
        return begins[begins.between(self.begin, self.end)]

    def begins_boundary(self, place: int) -> bool:
        """Whether a boundary begins at a position of the text after the edit."""
        if self.begin <= place < self.end + self.shift:
            return place in self.part.begins
        return (place if place < self.begin else place - self.shift) in self.before.positions.begins

    def index(self) -> BlockIndex:
        """Return the index of the text after the edit."""
        if self.whole:
            return self.whole
        before, after = self.before, self.after
        found = before.positions.begins.between(self.begin, self.end)
        positions = before.positions.replaced(self.begin, self.end, self.part, self.shift)
        changes = range(max(found.start - 1, 0), found.start + len(self.part.boundaries))
        gaps = changed_gaps(before.layout.gaps, after, positions, changes)
        layout = Layout(boundaries=positions.boundaries, gaps=gaps)
        definitions = before.definitions.between(self.begin, self.end)
        return BlockIndex(
            text=after,
            positions=positions,
            layout=before.layout if layout == before.layout else layout,
            references=before.references,
            definitions=before.definitions.replaced(definitions, (), self.shift),
            has_frontmatter=before.has_frontmatter,
        )


class Blocks(Protocol):
    """The blocks of a text and their positions."""

    @property
    def blocks(self) -> Mapping[str, Block]:
        """The blocks by id."""

    def place(self, bound: int, /) -> int:
        """Return the position of a bound in the text."""


def blocks_of(text: str) -> Blocks:
    """Return a text's blocks, from the cache or derived from the text that was edited."""
    return known_blocks(text) or _derived(text) or read_sheet(text).parsed


def known_blocks(text: str) -> Blocks | None:
    """Return the cached blocks of a text, or None."""
    sheet = known_sheet(text)
    return sheet.parsed if sheet else _known.get(text)


def found_blocks(text: str) -> Blocks | None:
    """Return the cached blocks of a text if finding them by their ids takes no time any more, or None."""
    known = known_blocks(text)
    return None if isinstance(known, BlockIndex) and not known.layout.are_found else known


def boundary_starts(text: str) -> Sequence[int]:
    """Return where a text's block boundaries begin, cached or derived as for `blocks_of`."""
    return _index(text).positions.begins


def reparsed(before: str, after: str, span: tuple[int, int]) -> Reparsed:
    """Parse a text again around an edit that replaced a span, or else as a whole."""
    known = _index(before)
    part = _reparsed(known, after, span)
    if part:
        return part
    whole = _index(after)
    return Reparsed(before=known, after=after, begin=0, end=len(before), part=whole.positions, whole=whole)


async def prepare_edits(text: str) -> None:
    """Index a long document that has been parsed, which takes a hundredth of the time of parsing it."""
    if len(text) > SMALL and known_sheet(text) and _known.get(text) is None:
        await READING.run(_index, text)


def note_edit(before: str, after: str) -> None:
    """Record that an edit turned one text into another."""
    origin = before if known_blocks(before) else _origins.get(before) or before
    _origins.put(after, origin, len(after))


def note_reparsed(edit: Reparsed) -> BlockIndex:
    """Keep and return the index of the text after an edit."""
    index = edit.index()
    _known.put(edit.after, index, len(edit.after))
    return index


def _index(text: str) -> BlockIndex:
    known = _known.get(text)
    if known is None and known_sheet(text) is None:
        known = _derived(text)
    if known is None:
        known = _read(read_sheet(text).parsed)
        _known.put(text, known, len(text))
    return known


def _derived(text: str) -> BlockIndex | None:
    origin = _origins.get(text)
    if origin is None or not known_blocks(origin):
        return None
    edit = _reparsed(_index(origin), text, (0, len(origin)))
    if edit is None:
        return None
    return note_reparsed(edit)


def _read(parsed: Parsed) -> BlockIndex:
    text, positions = parsed.lines.text, positions_of(parsed.structure, parsed.lines)
    return BlockIndex(
        text=text,
        positions=positions,
        layout=Layout(boundaries=positions.boundaries, gaps=gaps_of(text, positions)),
        references=parsed.references,
        definitions=ShiftedPlaces(sorted(parsed.lines.start(it.first) for it in parsed.definitions)),
        has_frontmatter=parsed.body > 0,
    )


def _reparsed(known: BlockIndex, after: str, span: tuple[int, int]) -> Reparsed | None:
    """Parse an edited text again around the edit; None if it should be parsed as a whole."""
    starts = known.positions.starts
    head, tail = _kept_ends(known.text, after, *span)
    first = max(starts.find(head) - _BEFORE, int(known.has_frontmatter))
    behind = starts.find(len(known.text) - tail + 1)
    if _may_change_frontmatter(known, after, head):
        return None
    tries = (_parse_again(known, after, first, behind + reach) for reach in _REACHES)
    return next(filter(None, tries), None)


def _kept_ends(before: str, after: str, start: int, end: int) -> tuple[int, int]:
    """Return the length of the common prefix, and of the common suffix, of texts that differ in a span."""
    tail = len(before) - end
    inner_head, inner_tail = common_ends(before[start:end], after[start : len(after) - tail])
    return start + inner_head, tail + inner_tail


def _may_change_frontmatter(known: BlockIndex, after: str, head: int) -> bool:
    """Whether an edit from `head` on touches frontmatter or could create one, whose end may be anywhere."""
    if known.has_frontmatter:
        rest = _position(known, 1)
        return head < rest or rest == len(known.text)
    return any(text.removeprefix(BOM).startswith(FRONTMATTER) for text in (known.text, after))


def _parse_again(known: BlockIndex, after: str, first: int, rest: int) -> Reparsed | None:
    """Parse the elements from `first` on again; None if those from `rest` on would change."""
    begin = _position(known, first) if first else 0
    joint, end = _position(known, rest), _position(known, rest + _BEYOND)
    shift = len(after) - len(known.text)
    changed = _new_part(known, after, begin, end, shift)
    if changed is None or (joint < len(known.text) and joint + shift not in changed.starts):
        return None
    part = changed.part(begin, joint + shift)
    return Reparsed(before=known, after=after, begin=begin, end=joint, part=part)


def _new_part(known: BlockIndex, after: str, begin: int, end: int, shift: int) -> MarkerPositions | None:
    """Return the boundaries of the part to parse again; None if it contains link reference definitions."""
    definitions = known.definitions.between(begin, end)
    if definitions.start < definitions.stop:
        return None
    part = after[begin : end + shift]
    if begin and part.startswith(BOM):
        return None
    structure = parse_part(part, known.references)
    return positions_of(structure, Lines(part), begin) if structure else None


def _position(known: BlockIndex, number: int) -> int:
    starts = known.positions.starts
    return starts[number] if number < len(starts) else len(known.text)


_known: LruCache[str, BlockIndex] = LruCache()
_origins: LruCache[str, str] = LruCache()
