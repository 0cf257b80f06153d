"""A writer of whole blocks: headings, paragraphs, items, tables, code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TypeVar

from msgspec.structs import replace

from stringd.plugin import Outline
from stringd.plugin.documents import MarkdownWriter, read_sheet
from stringd.plugin.text import fenced
from stringd_documents.inline_text import (
    Inline,
    Piece,
    cleaned,
    escaped,
    escaped_start,
    joined,
    markdown_of,
    text_of,
)

MOST_CHARACTERS = 5_000_000
_INDENT = "   "
_DEEPEST_ITEM, _DEEPEST_HEADING = 12, 6
_LINE_END = re.compile(r"[^\S\n]*\n\s*")
_SPECIAL = re.compile(r"[\x00-\x1f\x7f|]")
# A table is as wide as the widest of its first rows.
_LOOKED_AT = 100
T = TypeVar("T")


class TextLimitReached(Exception):
    """The text is as long as a document may be."""


class MarkdownBlocks:
    """Writes blocks with blank lines between, and refuses more than `MOST_CHARACTERS`."""

    def __init__(self) -> None:
        self._writer = MarkdownWriter()
        self._in_list = False
        self._is_cut = False
        self.title: str | None = None
        """The first heading."""
        self.omissions: list[str] = []
        """What is left out as the text would be too long."""

    @property
    def text(self) -> str:
        """The text written so far."""
        return self._writer.text

    @property
    def outline(self) -> Outline:
        """The structure of the text."""
        return self._writer.outline

    def heading(self, text: str, level: int) -> None:
        """Add a heading; an empty one is left out."""
        line = " ".join(cleaned(text).split())
        self.title = self.title or line or None
        shown = escaped(line)
        if shown != line:
            # Parsing takes longer, and tells what the heading reads as.
            self.parsed(f"{'#' * min(level, _DEEPEST_HEADING)} {shown}")
        elif line:
            self._begin()
            self._writer.heading(line, level=level)

    def paragraph(self, inline: Inline, prefix: str = "") -> None:
        """Add a paragraph, each of its lines behind a prefix; a blank one is left out."""
        if text_of(inline) or any(it.image for it in inline):
            self._begin()
            self._put_inline(inline, prefix, prefix)
            self._writer.put("\n")

    def item(self, inline: Inline, depth: int = 0, number: int | None = None) -> None:
        """Add an item of a list, which is nested in `depth` others."""
        if not text_of(inline) and not any(it.image for it in inline):
            return
        self._begin(is_item=True)
        indent = _INDENT * min(depth, _DEEPEST_ITEM)
        self._put_inline(inline, f"{indent}{'-' if number is None else f'{number}.'} ", f"{indent}{_INDENT}")
        self._writer.put("\n")

    def code(self, text: str, language: str = "") -> None:
        """Add a text as code."""
        self._begin()
        self._writer.put(f"{fenced(self._fitting(cleaned(text).rstrip()), language)}\n")

    def parsed(self, markdown: str) -> None:
        """Add Markdown with the headings and links that are in it; nothing else in it has a meaning."""
        text = cleaned(markdown).strip("\n")
        if text.strip():
            self._begin()
            text = self._fitting(text)
            outline = _outline_of(text)
            self.title = self.title or next((it.text for it in outline.headings), None)
            self._writer.put_outlined(f"{text}\n", outline)

    def verbatim(self, text: str) -> None:
        """Add a text as it is; nothing in it has a meaning."""
        shown = cleaned(text).strip("\n")
        if shown.strip():
            self._begin()
            self._writer.put(f"{self._fitting(shown)}\n")

    def end(self) -> None:
        """Stop if the last block was cut at the limit."""
        if self._is_cut:
            raise TextLimitReached

    def notice(self, text: str) -> None:
        """Add a line of our own, even beyond the limit."""
        self._writer.put(f"\n{text}\n" if self._writer.size else f"{text}\n")

    def omission(self, text: str) -> None:
        """Add a line about what is left out."""
        self.omissions.append(text)
        self.notice(f"[!] {text}")

    def table(self, rows: Sequence[Sequence[Inline]]) -> None:
        """Add a table of styled text, whose first row is its head."""
        self._put_table(iter(rows), self._put_row)

    def data_table(self, rows: Iterable[Sequence[str]]) -> int:
        """Add a table of texts that are shown as they are; return how many rows were too many."""
        return self._put_table(iter(rows), self._put_data)

    def _put_table(self, rows: Iterator[Sequence[T]], put_row: Callable[[Sequence[T]], None]) -> int:
        head = list(islice(rows, _LOOKED_AT))
        if not head:
            return 0
        self._begin()
        width = max(1, *map(len, head))
        for number, row in enumerate(chain(head, rows)):
            if self._is_cut or self._writer.size > MOST_CHARACTERS:
                return 1 + sum(1 for _ in rows) + max(0, len(head) - number - 1)
            put_row(row)
            self._writer.put(f"{'|  ' * (width - len(row))}|\n")
            if number == 0:
                self._writer.put(f"|{' --- |' * width}\n")
        return 0

    def _put_data(self, row: Sequence[str]) -> None:
        self._writer.put(f"| {self._fitting(' | '.join(map(_data, row)))} ")

    def _put_row(self, row: Sequence[Inline]) -> None:
        for cell in row:
            self._writer.put("| ")
            self._put_pieces(joined(cell), _in_cell)
            self._writer.put(" ")

    def _put_inline(self, inline: Inline, first: str, following: str) -> None:
        """Put text behind a prefix, and another one before each line but the first."""
        self._writer.put(first)
        pieces = list(joined(inline))
        pieces[:1] = [replace(it, text=it.text.lstrip()) for it in pieces[:1]]
        if pieces and not pieces[0].target:
            text = escaped_start(markdown_of(pieces.pop(0)))
            self._writer.put(self._fitting(_LINE_END.sub(f"\n{following}", text)))
        self._put_pieces(pieces, lambda it: _LINE_END.sub(f"\n{following}", _escaped_below(it)))

    def _put_pieces(self, pieces: Iterable[Piece], changed: Callable[[str], str]) -> None:
        for piece in pieces:
            if piece.target:
                self._writer.link(text_of((piece,)), piece.target, image=piece.image)
            else:
                self._writer.put(self._fitting(changed(markdown_of(piece))))

    def _fitting(self, text: str) -> str:
        """Return as much of one text as a document may have; nothing follows one that was cut."""
        self._is_cut = self._is_cut or len(text) > MOST_CHARACTERS
        return text[:MOST_CHARACTERS]

    def _begin(self, *, is_item: bool = False) -> None:
        """Separate the next block from the one before, or stop at the limit."""
        if self._is_cut or self._writer.size > MOST_CHARACTERS:
            raise TextLimitReached
        if self._writer.size and not (is_item and self._in_list):
            self._writer.put("\n")
        self._in_list = is_item


def _escaped_below(text: str) -> str:
    """Escape the beginnings of all lines but the first, which continues another text."""
    first, end, others = text.partition("\n")
    return first + end + escaped_start(others)


def _data(text: str) -> str:
    """Return a value as it can stand in a cell, quickly where nothing is special in it."""
    return _in_cell(cleaned(text)) if _SPECIAL.search(text) else text


def _in_cell(text: str) -> str:
    """Return a text as it can stand in a cell of a table."""
    return "<br>".join(it.strip() for it in text.strip("\n").split("\n")).replace("|", "\\|")


def _outline_of(markdown: str) -> Outline:
    """Return the headings and links of Markdown."""
    parsed = read_sheet(markdown).parsed
    return Outline(links=parsed.links, headings=parsed.structure.headings)
