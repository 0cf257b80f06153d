"""The parts of pages and of blocks of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from stringd.documents.pages.page import Page
from stringd.documents.pagination.numbered_parts import Naming, Parts
from stringd.documents.pagination.source_definitions import definitions
from stringd.documents.pagination.table_of_contents import PlacedHeading, heading_ids
from stringd.documents.syntax.structured import is_verbatim
from stringd.text.formatting import line_range, shortened

# What precedes a page takes at most this part of the answer: a quarter.
_INTRODUCTION = 4
_BEGINNING = 1000
# A longer name of a block is shortened in marks.
_LONGEST = 60


def may_be_long(page: Page, most: int) -> bool:
    """Whether a page, or a block of it, may have more than `most` characters."""
    return len(page.sheet.body) > most


def is_one_part(page: Page, most: int) -> bool:
    """Whether a whole page is far from being too long, with what precedes it."""
    return len(page.sheet.body) <= most // _INTRODUCTION


class PageText:
    """The text of a page, of a block of it, or of the page of lines of a file."""

    is_plain = False

    def __init__(
        self,
        page: Page,
        block: str | None,
        lines: tuple[int, int] | None,
        name: Callable[[], str],
        typed_name: str = "",
    ) -> None:
        self._rendered = page.rendered(block)
        self.text = self._rendered.text
        self._page = page
        self._name = name
        self._typed_name = typed_name
        self._tail = f"#{block}" if block else line_range(*lines) if lines else ""

    @cached_property
    def naming(self) -> Naming:
        """How the text and its parts are called."""
        tail, typed_name = self._tail, self._typed_name
        searched = f"/open {typed_name}, then /find text" if typed_name else "/find text"
        return Naming(
            mark=f"[{shortened(tail, _LONGEST) or 'page'}]",
            title=f"{self._name()}{tail}",
            command=f"/open {typed_name}{tail}".rstrip(),
            outline=f"/open {typed_name}:L5-L20 shows lines"
            if self._is_code
            else f"/open {typed_name}#id shows a section",
            others=f"{searched} finds any"
            if self._is_code
            else f"/open {typed_name}#id shows those of a section, {searched} finds any",
        )

    @cached_property
    def _is_code(self) -> bool:
        """Whether it is all of a source text, shown as it is stored."""
        path, text = self._page.path, self.text
        is_stored = path is not None and is_verbatim(path) and self._page.source.startswith(text[:_BEGINNING])
        return bool(is_stored and text and not self._tail)

    @cached_property
    def headings(self) -> Sequence[PlacedHeading]:
        """Its headings, with their positions; of source code, its definitions."""
        return definitions(self.text) if self._is_code else self._rendered.headings

    @cached_property
    def ids(self) -> Mapping[int, str]:
        """The ids of the headings' sections."""
        if self._is_code:
            return {}
        return heading_ids([it for _, it in self.headings], self._page.sheet.parsed.blocks)


def page_parts(
    page: Page,
    block: str | None,
    lines: tuple[int, int] | None,
    most: int,
    name: Callable[[], str],
    typed_name: str = "",
) -> Parts:
    """Return the parts in which a page, a block of it, or the page of lines of a file is shown.

    `name` is asked for the name of the document in refusals. Commands need its `typed_name`, if there is one.
    """
    text = PageText(page, block, lines, name, typed_name)
    is_introduced = block is None and lines is None and len(text.text) > most // _INTRODUCTION
    return Parts(text, most - _size_of_introduction(page, most) if is_introduced else most)


def _size_of_introduction(page: Page, most: int) -> int:
    """Return how much room to leave for the lines about what a page offers."""
    size = len(page.introduced("", page.sheet.actions.actions.values(), ()))
    return min(size, most // _INTRODUCTION)
