"""Sections: what stands below a heading, as something that can be addressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from stringd.api.outlines import Heading
from stringd.documents.syntax.blocks import Block, Names


class Rows(Protocol):
    """The lines of a text, by number."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> str: ...


def find_sections(
    headings: Sequence[Heading], lines: Rows, pairs: Sequence[Block], named: Mapping[str, Block]
) -> dict[str, Block]:
    """Return the sections by id; its author's id comes before a slug, and who is second gets `-2`.

    A section ends with the pair of markers that its heading stands between. One that is all that a named
    block of its id holds, or holds nothing else, is that block.
    """
    found = [
        (heading, section)
        for heading, section in zip(headings, _sections(headings, lines, pairs), strict=True)
        if heading.id and not _is_same(section, named.get(heading.id), lines)
    ]
    names = Names(named)
    ids: dict[int, str] = {}
    # The page's own come before what is included, so that including something renames nothing.
    for included in (False, True):
        part = [heading for heading, section in found if section.included is included]
        ids |= {it.first: names.take(it.id) for it in part if it.mark}
        ids |= {it.first: names.take(it.id) for it in part if not it.mark}
    return {ids[it.first]: section.called(ids[it.first]) for it, section in found}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """A pair of markers around a place, what is around that, and the innermost of all that is included."""

    block: Block
    outer: _Around | None
    include: Block | None


def _sections(headings: Sequence[Heading], lines: Rows, pairs: Sequence[Block]) -> Iterator[Block]:
    around = list(_around(headings, pairs))
    includes = [it.include if it else None for it in around]
    around_line = {heading.first: it for heading, it in zip(headings, around, strict=True)}
    ends = _section_ends(headings, includes, len(lines))
    for heading, last, enclosing, include in zip(headings, ends, around, includes, strict=True):
        # A block that begins here and holds the next heading too is held in part: the section ends before it.
        held = _begun_behind(heading.first, around_line.get(last), last)
        end = min(held, enclosing.block.inner_last if enclosing else last)
        yield Block(
            id=heading.id,
            first=heading.first,
            inner=heading.last,
            inner_last=end,
            last=end,
            level=heading.level,
            included=include is not None,
        )


def _begun_behind(line: int, around: _Around | None, otherwise: int) -> int:
    """Return where the outermost of the pairs begins that begin behind a line."""
    while around and around.block.first > line:
        otherwise, around = around.block.first, around.outer
    return otherwise


def _section_ends(headings: Sequence[Heading], includes: Sequence[Block | None], end: int) -> list[int]:
    """Return where the next heading of the level or above is; one that is included ends nothing outside."""
    nexts: dict[int | None, list[int]] = {}
    ends = []
    for heading, include in zip(reversed(headings), reversed(includes), strict=True):
        next_of_level = nexts.setdefault(include.first if include else None, [end] * 7)
        ends.append(next_of_level[heading.level])
        for level in range(heading.level, 7):
            next_of_level[level] = heading.first
    return ends[::-1]


def _around(headings: Sequence[Heading], pairs: Sequence[Block]) -> Iterator[_Around | None]:
    """Yield the innermost pair of markers around each heading; pairs nest, or stand apart."""
    coming = sorted(pairs, key=lambda it: it.first, reverse=True)
    around: _Around | None = None
    for heading in headings:
        while coming and coming[-1].first < heading.first:
            around = _entered(around, coming.pop())
        around = _left(around, heading.first)
        yield around


def _entered(around: _Around | None, block: Block) -> _Around:
    outer = _left(around, block.first)
    include = block if block.included else outer.include if outer else None
    return _Around(block=block, outer=outer, include=include)


def _left(around: _Around | None, line: int) -> _Around | None:
    while around and around.block.last <= line:
        around = around.outer
    return around


def _is_same(section: Block, block: Block | None, lines: Rows) -> bool:
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
