"""Sections: the text below each heading, as a block with an id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from stringd.api.outlines import Heading
from stringd.documents.syntax.blocks import Block, Names


class Rows(Protocol):
    """The lines of a text, by number."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> str: ...


def find_sections(
    headings: Sequence[Heading], lines: Rows, pairs: Sequence[Block], named: Mapping[str, Block]
) -> dict[str, Block]:
    """Return the sections by id; explicit ids take precedence over slugs, a repeated id gets `-2`.

    A section ends with the pair of markers that encloses its heading. A section is left out if it and a named
    block of the same id have the same content.
    """
    found = [
        (heading, section)
        for heading, section in zip(headings, _sections(headings, lines, pairs), strict=True)
        if heading.id and not _has_same_content(section, named.get(heading.id), lines)
    ]
    names = Names(named)
    ids: dict[int, str] = {}
    # The page's own sections come first, so that an include never renames them.
    for included in (False, True):
        part = [heading for heading, section in found if section.included is included]
        ids |= {it.first: names.take(it.id) for it in part if it.mark}
        ids |= {it.first: names.take(it.id) for it in part if not it.mark}
    return {ids[it.first]: section.renamed(ids[it.first]) for it, section in found}


class _Enclosure(Struct, frozen=True, kw_only=True):
    """A pair of markers that encloses a line, the next pair outwards, and the innermost enclosing include."""

    block: Block
    outer: _Enclosure | None
    include: Block | None


def _sections(headings: Sequence[Heading], lines: Rows, pairs: Sequence[Block]) -> Iterator[Block]:
    enclosures = list(_enclosures(headings, pairs))
    includes = [it.include if it else None for it in enclosures]
    enclosure_of_line = {heading.first: it for heading, it in zip(headings, enclosures, strict=True)}
    ends = _section_ends(headings, includes, len(lines))
    for heading, last, enclosing, include in zip(headings, ends, enclosures, includes, strict=True):
        # A block that begins in this section and reaches beyond the next heading ends the section.
        limit = _first_begun_after(heading.first, enclosure_of_line.get(last), last)
        end = min(limit, enclosing.block.inner_last if enclosing else last)
        yield Block(
            id=heading.id,
            first=heading.first,
            inner=heading.last,
            inner_last=end,
            last=end,
            level=heading.level,
            included=include is not None,
        )


def _first_begun_after(line: int, enclosure: _Enclosure | None, default: int) -> int:
    """Return where the outermost pair begins that begins after a line."""
    while enclosure and enclosure.block.first > line:
        default, enclosure = enclosure.block.first, enclosure.outer
    return default


def _section_ends(headings: Sequence[Heading], includes: Sequence[Block | None], end: int) -> list[int]:
    """Return the next heading of the same level or above; included headings end no section outside."""
    nexts: dict[int | None, list[int]] = {}
    ends = []
    for heading, include in zip(reversed(headings), reversed(includes), strict=True):
        next_of_level = nexts.setdefault(include.first if include else None, [end] * 7)
        ends.append(next_of_level[heading.level])
        for level in range(heading.level, 7):
            next_of_level[level] = heading.first
    return ends[::-1]


def _enclosures(headings: Sequence[Heading], pairs: Sequence[Block]) -> Iterator[_Enclosure | None]:
    """Yield the innermost pair of markers around each heading; pairs either nest or are disjoint."""
    pending = sorted(pairs, key=lambda it: it.first, reverse=True)
    enclosure: _Enclosure | None = None
    for heading in headings:
        while pending and pending[-1].first < heading.first:
            enclosure = _enter(enclosure, pending.pop())
        enclosure = _leave(enclosure, heading.first)
        yield enclosure


def _enter(enclosure: _Enclosure | None, block: Block) -> _Enclosure:
    outer = _leave(enclosure, block.first)
    include = block if block.included else outer.include if outer else None
    return _Enclosure(block=block, outer=outer, include=include)


def _leave(enclosure: _Enclosure | None, line: int) -> _Enclosure | None:
    while enclosure and enclosure.block.last <= line:
        enclosure = enclosure.outer
    return enclosure


def _has_same_content(section: Block, block: Block | None, lines: Rows) -> bool:
    if block is None:
        return False
    if block.first < section.first:
        fills = block.inner_last == section.inner_last
        return fills and _is_blank(lines, block.inner, section.first)
    return (
        section.inner <= block.first
        and block.last <= section.inner_last
        and _is_blank(lines, section.inner, block.first)
        and _is_blank(lines, block.last, section.inner_last)
    )


def _is_blank(lines: Rows, first: int, last: int) -> bool:
    return not any(lines[number].strip() for number in range(first, last))
