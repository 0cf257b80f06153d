"""Show long pages from the network in parts, each with its number and how to open the next one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from stringd.documents.pages.page import Page
from stringd.documents.pagination.cuts import Piece, cut
from stringd.documents.pagination.table_of_contents import heading_ids, table_of_contents
from stringd.documents.syntax.lines import without_line_end
from stringd.errors import ErrorCode, Refusal
from stringd.text.formatting import counted

PART = "--part"
_LINE_END = "\n"
_BLANK_LINES = ("\n\n", "\n\r\n")


class Parts:
    """A page or a block as it is shown: long pages from the network in parts, files as a whole."""

    def __init__(self, page: Page, block: str | None, most: int) -> None:
        self._block = f"#{block}" if block else ""
        self._uri = page.uri
        rendered = page.rendered(block)
        self.text, self._headings = rendered.text, rendered.headings
        self._places = [place for place, _ in self._headings]
        self._ids = heading_ids([it for _, it in self._headings], page.sheet.parsed.blocks)
        is_long = self.are_many(page, most) and len(self.text) > most
        sections = [(place, heading.level) for place, heading in self._headings]
        self._pieces = cut(self.text, sections, most) if is_long else []

    @staticmethod
    def are_many(page: Page, most: int) -> bool:
        """Whether a page is shown in parts of at most `most` characters."""
        return page.path is None and len(page.sheet.body) > most

    @property
    def count(self) -> int:
        """The number of parts."""
        return len(self._pieces) or 1

    def number_at(self, place: int) -> int:
        """Return the number of the part that contains a position of the text."""
        return max(bisect_right(self._pieces, place, key=lambda it: it.first), 1)

    def section_at(self, place: int) -> str | None:
        """Return the id of the section that contains a position of the text, if it has one."""
        behind = bisect_right(self._places, place)
        return self._ids.get(self._headings[behind - 1][1].first) if behind else None

    def view(self, number: int) -> str:
        """Return the text of a part with its head and foot; refuse a number that is out of range."""
        if not 1 <= number <= self.count:
            are = f"{self._uri}{self._block} has {counted(self.count, 'part')}."
            raise Refusal(ErrorCode.NOT_FOUND, f"Part not found: {number}", are)
        if not self._pieces:
            return without_line_end(self.text)
        piece = self._pieces[number - 1]
        head = "\n".join(self._head(piece, number))
        text = f"{piece.before}{self.text[piece.first : piece.last]}"
        text += f"{'' if text.endswith(_LINE_END) else _LINE_END}{piece.after}"
        gap = "" if text.endswith(_BLANK_LINES) else _LINE_END
        return f"{head}\n\n{text}{gap}{self._foot(piece, number)}"

    def _head(self, piece: Piece, number: int) -> Iterator[str]:
        of = f"part {number} of {self.count}"
        if number > 1:
            section = None if piece.first in self._places else self.section_at(piece.first)
            yield f"{self._mark} {of}{f', in #{section}' if section else ''}"
            return
        yield f"{self._mark} {len(self.text):,} characters, {of}"
        if self._headings:
            yield "[outline] /open #id shows a section"
            yield from table_of_contents(self._headings, self._ids, self.number_at)

    def _foot(self, piece: Piece, number: int) -> str:
        left = len(self.text) - piece.last
        if not left:
            return f"{self._mark} part {number} of {self.count} is the last one"
        following = " ".join(filter(None, ("/open", self._block, PART, str(number + 1))))
        return f"{self._mark} {left:,} {'character' if left == 1 else 'characters'} left — {following}"

    @property
    def _mark(self) -> str:
        return f"[{self._block or 'page'}]"
