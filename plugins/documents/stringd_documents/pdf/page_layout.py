"""The blocks of a page of a PDF document: headings, paragraphs, items, code and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stringd_documents.inline_text import plain
from stringd_documents.markdown_blocks import MarkdownBlocks
from stringd_documents.pdf.aligned_tables import table_at
from stringd_documents.pdf.headings import Headings
from stringd_documents.pdf.page_lines import BULLETS, PARAGRAPH_GAP, Line, follows
from stringd_documents.pdf.ruled_tables import Grid

_MARK = re.compile(rf"(?:[{BULLETS}]|(?P<number>\d{{1,3}})[.)])\s+(?=\S)")
_HYPHENS = ("-", "\u00ad", "‐")
# In heights of a line: the most space between lines of code.
_CODE_GAP = 2.0
# The share of a paragraph's width that the last line of a sentence may leave free.
_RAGGED = 0.25
# Points: items that begin nearer to each other are of one list.
_INDENT = 6


class PageLayout:
    """Adds the lines of pages as blocks."""

    def __init__(self, blocks: MarkdownBlocks, headings: Headings) -> None:
        self._blocks = blocks
        self._headings = headings

    def add(self, lines: Sequence[Line], grids: Sequence[Grid], page: int) -> None:
        """Add the blocks of a page."""
        place = 0
        added: set[int] = set()
        while place < len(lines):
            grid = next((it for it in grids if it.holds(lines[place])), None)
            if grid is None:
                place = self._add_unruled(lines, place, grids, page)
                continue
            if id(grid) not in added:
                added.add(id(grid))
                self._add_table(grid.table(filter(grid.holds, lines)))
            place += 1

    def _add_unruled(self, lines: Sequence[Line], place: int, grids: Sequence[Grid], page: int) -> int:
        """Add the block that begins with a line, and return the place behind it."""
        line = lines[place]
        if heading := self._headings.at(lines, place, page):
            level, end = heading
            self._blocks.heading(" ".join(it.text for it in lines[place:end]), level)
            return end
        if found := table_at(lines, place):
            self._add_table(found[0])
            return found[1]
        end = self._end_of_block(lines, place, grids, page)
        if line.is_code:
            self._blocks.code("\n".join(_code(lines[place:end])))
        else:
            self._add_text(lines[place:end])
        return end

    def _end_of_block(self, lines: Sequence[Line], place: int, grids: Sequence[Grid], page: int) -> int:
        end = place + 1
        while end < len(lines):
            line = lines[end]
            ends = (
                line.is_code != lines[place].is_code
                or not follows(lines[end - 1], line, _CODE_GAP if line.is_code else PARAGRAPH_GAP)
                or self._headings.at(lines, end, page) is not None
                or any(it.holds(line) for it in grids)
                or table_at(lines, end) is not None
            )
            if ends:
                break
            end += 1
        return end

    def _add_table(self, table: list[list[str]]) -> None:
        if table and len(table[0]) > 1:
            self._blocks.table([[plain(cell) for cell in row] for row in table])
        else:
            for cell in (it for row in table for it in row):
                self._blocks.paragraph(plain(cell))

    def _add_text(self, lines: Sequence[Line]) -> None:
        """Add a paragraph, or the items of a list."""
        texts = list(_texts(lines))
        indents = sorted({round(left / _INDENT) for text, left in texts if _MARK.match(text)})
        for text, left in texts:
            mark = _MARK.match(text)
            if mark:
                depth = indents.index(round(left / _INDENT))
                number = int(mark["number"]) if mark["number"] else None
                self._blocks.item(plain(text[mark.end() :]), depth, number)
            else:
                self._blocks.paragraph(plain(text))


def _texts(lines: Sequence[Line]) -> Iterator[tuple[str, float]]:
    """Yield the text of a block, and each item in it by itself, with where it begins."""
    right = max(it.right for it in lines)
    room = _RAGGED * (right - min(it.left for it in lines))
    text, left, is_full = lines[0].text, lines[0].left, lines[0].right > right - room
    for line in lines[1:]:
        if _MARK.match(line.text):
            yield text, left
            text, left = line.text, line.left
        else:
            text = _joined(text, line.text, is_full=is_full)
        is_full = line.right > right - room
    yield text, left


def _joined(text: str, following: str, *, is_full: bool) -> str:
    """Join two lines: in one, where the first is full, and without the hyphen of a divided word."""
    if not is_full:
        return f"{text}\n{following}"
    if text.endswith(_HYPHENS) and following[:1].islower():
        # A word with another hyphen, such as an option, keeps its own.
        is_compound = "-" in text[:-1].rpartition(" ")[2]
        return (text if is_compound else text[:-1]) + following
    return f"{text} {following}"


def _code(lines: Sequence[Line]) -> Iterator[str]:
    """Yield lines of code with the blanks between their texts, as the letters' width tells."""
    widths = [(it.right - it.left) / len(it.text) for line in lines for it in line.segments]
    width = sorted(widths)[len(widths) // 2] or 1.0
    left = min(line.left for line in lines)
    for above, line in zip((None, *lines), lines, strict=False):
        if above and not follows(above, line):
            yield ""
        text = ""
        for segment in line.segments:
            column = round((segment.left - left) / width)
            text = text.ljust(min(max(column, len(text) + bool(text)), 200)) + segment.text
        yield text
