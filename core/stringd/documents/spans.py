"""Which lines of a document a block's editing shows, and which it replaces."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.documents.lines import BOM, Lines
from stringd.documents.outline import Block
from stringd.documents.page import unknown_block
from stringd.documents.parse import Parsed
from stringd.documents.sheet import read_sheet


def stored_lines(text: str, block_id: str) -> range:
    """Return the lines, counted from 0, that are a block as it is stored, a section's heading included."""
    parsed, block = _find(text, block_id)
    first = block.inner if block.level is None else block.first
    return _without_blanks(parsed.lines, range(first, _end(parsed, block)), leading=False)


def block_span(text: str, block_id: str, body: str) -> tuple[int, int]:
    """Return from where to where in the text a body takes the place of a block's content.

    Blank lines around the content stay as they are; a body that begins with a blank line brings its own.
    One that begins with a heading of the section's level replaces the heading too.
    """
    parsed, block = _find(text, block_id)
    first = block.first if _begins_with_heading(body, block.level) else block.inner
    own_blanks = not body.partition("\n")[0].strip()
    kept = _without_blanks(parsed.lines, range(first, _end(parsed, block)), leading=not own_blanks)
    return parsed.lines.start(kept.start), parsed.lines.start(kept.stop)


def _find(text: str, block_id: str) -> tuple[Parsed, Block]:
    parsed = read_sheet(text).parsed
    block = parsed.blocks.get(block_id)
    if block is None:
        raise unknown_block(block_id, parsed.blocks)
    return parsed, block


def _end(parsed: Parsed, block: Block) -> int:
    """Return where a block's content ends; a section's, before the marker of a block held in part."""
    if block.level is None:
        return block.inner_last
    return min((block.inner_last, *_crossing(parsed.blocks.values(), block)))


def _crossing(blocks: Iterable[Block], section: Block) -> Iterable[int]:
    for block in blocks:
        if block.level is None and block.last > section.inner:
            if block.first < section.first:
                yield block.inner_last
            elif section.first < block.first < section.inner_last < block.last:
                yield block.first


def _begins_with_heading(body: str, level: int | None) -> bool:
    headings = read_sheet(body).parsed.headings if level else ()
    above = headings and Lines(body).slice(0, headings[0].first).removeprefix(BOM).strip()
    return bool(headings) and not above and headings[0].level == level


def _without_blanks(lines: Lines, found: range, *, leading: bool) -> range:
    first, last = found.start, found.stop
    while first < last and not lines[last - 1].strip():
        last -= 1
    while leading and first < last and not lines[first].strip():
        first += 1
    return range(first, last)
