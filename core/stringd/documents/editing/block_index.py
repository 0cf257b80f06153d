"""The positions of a text's blocks, updated incrementally as the text is edited.

Parsing a large text again after each edit would cost a thousand times the edit. CommonMark parses top-level
elements one after the other, independently of those before: so only the elements around an edit are parsed
again, and the positions of the others are shifted.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from stringd.documents.editing.marker_positions import (
    Layout,
    MarkerPositions,
    between,
    changed_gaps,
    gaps_of,
    positions_of,
)
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

    The first and the last boundaries, as many as `kept` says, are also those of the text `origin`.
    """

    text: str
    positions: MarkerPositions
    layout: Layout
    references: References
    definitions: Sequence[int]
    has_frontmatter: bool
    origin: str | None = None
    kept: tuple[int, int] = (0, 0)

    @property
    def blocks(self) -> Mapping[str, Block]:
        """The blocks by id."""
        return self.layout.blocks

    def place(self, bound: int) -> int:
        """Return the position of a bound in the text."""
        if bound == 2 * len(self.positions.boundaries):
            return len(self.text)
        return (self.positions.ends if bound % 2 else self.positions.begins)[bound // 2]


class _Edit(NamedTuple):
    """The text before an edit, and the span of it that was replaced, if that is known."""

    before: str
    span: tuple[int, int] | None


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


def boundary_starts(text: str) -> Sequence[int]:
    """Return where a text's block boundaries begin, cached or derived as for `blocks_of`."""
    return _index(text).positions.begins


def kept_boundaries(before: str, after: str) -> tuple[int, int]:
    """Return how many boundaries at the beginning and the end of a text an edit certainly has kept."""
    index = _index(after)
    return index.kept if index.origin == before else (0, 0)


async def prepare_edits(text: str) -> None:
    """Index a long document that has been parsed, which takes a hundredth of the time of parsing it."""
    if len(text) > SMALL and known_sheet(text) and _known.get(text) is None:
        await READING.run(_index, text)


def note_edit(before: str, after: str, span: tuple[int, int] | None = None) -> None:
    """Record that an edit turned one text into another, and which span of the first it replaced, if known."""
    origin = None if known_blocks(before) else _origins.get(before)
    _origins.put(after, _Edit(origin.before, None) if origin else _Edit(before, span), len(after))


def _index(text: str) -> BlockIndex:
    known = _known.get(text)
    if known is None and known_sheet(text) is None:
        known = _derived(text)
    if known is None:
        known = _read(read_sheet(text).parsed)
        _known.put(text, known, len(text))
    return known


def _derived(text: str) -> BlockIndex | None:
    edit = _origins.get(text)
    if edit is None or not known_blocks(edit.before):
        return None
    derived = _updated(_index(edit.before), text, edit.span)
    if derived:
        _known.put(text, derived, len(text))
    return derived


def _read(parsed: Parsed) -> BlockIndex:
    text, positions = parsed.lines.text, positions_of(parsed.structure, parsed.lines)
    return BlockIndex(
        text=text,
        positions=positions,
        layout=Layout(boundaries=positions.boundaries, gaps=gaps_of(text, positions)),
        references=parsed.references,
        definitions=sorted(parsed.lines.start(it.first) for it in parsed.definitions),
        has_frontmatter=parsed.body > 0,
    )


def _updated(known: BlockIndex, after: str, span: tuple[int, int] | None) -> BlockIndex | None:
    """Update the index for an edited text; None if it should be parsed as a whole."""
    starts = known.positions.starts
    head, tail = _kept_ends(known.text, after, *(span or (0, len(known.text))))
    first = max(bisect_left(starts, head) - _BEFORE, int(known.has_frontmatter))
    behind = bisect_right(starts, len(known.text) - tail)
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


def _parse_again(known: BlockIndex, after: str, first: int, rest: int) -> BlockIndex | None:
    """Parse the elements from `first` on again; None if those from `rest` on would change."""
    begin = _position(known, first) if first else 0
    joint, end = _position(known, rest), _position(known, rest + _BEYOND)
    shift = len(after) - len(known.text)
    changed = _new_part(known, after, begin, end, shift)
    if changed is None or (joint < len(known.text) and joint + shift not in changed.starts):
        return None
    middle = changed.part(begin, joint + shift)
    above, below = known.positions.around(begin, joint)
    positions = known.positions.replaced(begin, joint, middle, shift)
    changes = range(max(above - 1, 0), len(positions.boundaries) - below)
    gaps = changed_gaps(known.layout.gaps, after, positions, changes)
    layout = Layout(boundaries=positions.boundaries, gaps=gaps)
    return BlockIndex(
        text=after,
        positions=positions,
        layout=known.layout if layout == known.layout else layout,
        references=known.references,
        definitions=[it if it < begin else it + shift for it in known.definitions],
        has_frontmatter=known.has_frontmatter,
        origin=known.text,
        kept=(above, below),
    )


def _new_part(known: BlockIndex, after: str, begin: int, end: int, shift: int) -> MarkerPositions | None:
    """Return the boundaries of the part to parse again; None if it contains link reference definitions."""
    definitions = between(known.definitions, begin, end)
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
_origins: LruCache[str, _Edit] = LruCache()
