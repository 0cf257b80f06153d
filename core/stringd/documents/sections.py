"""Sections: what stands below a heading, as something that can be addressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from stringd.contracts.outlines import Heading
from stringd.documents.outline import Block, Names


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


def _sections(headings: Sequence[Heading], lines: Rows, pairs: Sequence[Block]) -> Iterator[Block]:
    around = list(_around(headings, pairs))
    includes = [_include(it) for it in around]
    around_line = {heading.first: it for heading, it in zip(headings, around, strict=True)}
    ends = _section_ends(headings, includes, len(lines))
    for heading, last, enclosing, include in zip(headings, ends, around, includes, strict=True):
        # A block that begins here and holds the next heading too is held in part: the section ends before it.
        held = (it.first for it in around_line.get(last, ()) if it.first > heading.first)
        end = min(next(held, last), enclosing[-1].inner_last if enclosing else last)
        yield Block(
            id=heading.id,
            first=heading.first,
            inner=heading.last,
            inner_last=end,
            last=end,
            level=heading.level,
            included=include is not None,
        )


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


def _around(headings: Sequence[Heading], pairs: Sequence[Block]) -> Iterator[tuple[Block, ...]]:
    """Yield the pairs of markers around each heading, the innermost last; pairs nest, or stand apart."""
    coming = sorted(pairs, key=lambda it: it.first, reverse=True)
    around: list[Block] = []
    for heading in headings:
        while coming and coming[-1].first < heading.first:
            _enter(around, coming.pop())
        _leave(around, heading.first)
        yield tuple(around)


def _include(around: Sequence[Block]) -> Block | None:
    return next((it for it in reversed(around) if it.included), None)


def _enter(around: list[Block], block: Block) -> None:
    _leave(around, block.first)
    around.append(block)


def _leave(around: list[Block], line: int) -> None:
    while around and around[-1].last <= line:
        around.pop()


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
