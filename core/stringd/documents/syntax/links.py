"""The links of a document with their positions in the text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise

from markdown_it.token import Token
from msgspec import Struct

from stringd.api.outlines import Link
from stringd.documents.syntax.lines import Lines

_DIRECTIVE = re.compile(r"!\w")


def is_directive(link: Link) -> bool:
    """Whether a link is a directive such as `[!nav:name](target)`, and not shown as a link."""
    return _DIRECTIVE.match(link.label) is not None


def scheme_of(target: str) -> str:
    """Return the scheme of a link's target in lower case; empty if it has none."""
    scheme, colon, _ = target.partition(":")
    return scheme.lower() if colon else ""


def schemes_of(links: Iterable[Link]) -> frozenset[str]:
    """Return the schemes of the targets of links."""
    return frozenset(map(scheme_of, {it.target for it in links}))


def find_links(tokens: Iterable[Token], lines: Lines) -> Iterator[Link]:
    """Yield the links in reading order; code contains none."""
    finder = _Finder(lines)
    for before, token in pairwise(tokens):
        if token.type == "inline" and token.map:
            placed = list(_placed(token))
            if placed:
                yield from finder.links(token, placed, in_cell=before.type in {"td_open", "th_open"})


def _placed(token: Token) -> Iterator[Token]:
    for child in token.children or ():
        if "label_end" in child.meta:
            yield child
        yield from _placed(child)


class _Finder:
    """Finder of inline text in the lines that it came from."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._line = -1
        self._reached = 0

    def links(self, inline: Token, placed: Iterable[Token], *, in_cell: bool) -> Iterator[Link]:
        """Yield the links of one inline text; those whose position can't be determined are left out."""
        # Every bar in a table cell was escaped by a backslash, which the parser has removed.
        positions = self._positions(inline, "|" if in_cell else "")
        for token in placed:
            label, label_end, end = (positions.of(token.meta[edge]) for edge in ("label", "label_end", "end"))
            if label is not None and label_end is not None and end is not None:
                yield _link(token, inline.content, label, label_end, end)

    def _positions(self, inline: Token, escaped: str) -> _Positions:
        first, last = inline.map or (0, 0)
        starts: list[int] = []
        shifts: list[int | None] = []
        position = 0
        for number, text in enumerate(inline.content.split("\n"), first):
            written = text.strip().replace("|", "\\|") if escaped else text.strip()
            column = self._column(number, written) if number < last else None
            indent = len(text) - len(text.lstrip())
            starts.append(position)
            shifts.append(None if column is None else self._lines.start(number) + column - position - indent)
            position += len(text) + 1
        escapes = [it.start() for it in re.finditer(re.escape(escaped), inline.content)] if escaped else []
        return _Positions(starts=starts, shifts=shifts, escapes=escapes)

    def _column(self, number: int, text: str) -> int | None:
        # The cells of a row are on one line: search for each one behind the previous one.
        if number != self._line:
            self._line, self._reached = number, 0
        column = self._lines[number].replace("\0", "\ufffd").find(text, self._reached)
        if column < 0:
            return None
        self._reached = column + len(text)
        return column


class _Positions(Struct, frozen=True, kw_only=True):
    """The positions of an inline text in the document.

    The line that begins at each of `starts` is shifted by the matching one of `shifts`; a backslash was
    removed before each of `escapes`.
    """

    starts: list[int]
    shifts: list[int | None]
    escapes: list[int]

    def of(self, position: int) -> int | None:
        """Return the document position of a position in the inline text; None if it is unknown."""
        shift = self.shifts[bisect_right(self.starts, position) - 1]
        return None if shift is None else position + shift + bisect_left(self.escapes, position)


def _link(token: Token, content: str, label_start: int, label_end: int, end: int) -> Link:
    meta = token.meta
    label = content[meta["label"] : meta["label_end"]]
    rest = content[meta["label_end"] + 1 : meta["end"]]
    target = token.attrGet("src" if token.type == "image" else "href")
    return Link(
        label_start=label_start,
        label_end=label_end,
        end=end,
        label=label,
        target=str(target or ""),
        reference=None if rest.startswith("(") else rest[1:-1] or label,
        image=token.type == "image",
    )
