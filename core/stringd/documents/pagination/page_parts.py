"""The parts of pages and of blocks of them."""

from __future__ import annotations

from stringd.documents.pages.page import Page
from stringd.documents.pagination.parts import LongText, Naming, Parts
from stringd.documents.pagination.table_of_contents import heading_ids
from stringd.text.formatting import line_range

_OUTLINE = "/open #id shows a section"
_OTHERS = "/open #id shows those of a section, /find text finds any"


def may_be_long(page: Page, most: int) -> bool:
    """Whether a page, or a block of it, may have more than `most` characters."""
    return len(page.sheet.body) > most


def page_parts(page: Page, block: str | None, lines: tuple[int, int] | None, most: int) -> Parts:
    """Return the parts in which a page, a block of it, or the page of lines of a file is shown."""
    rendered = page.rendered(block)
    tail = f"#{block}" if block else line_range(*lines) if lines else ""
    naming = Naming(
        mark=f"[{tail or 'page'}]",
        title=f"{page.uri}{tail}",
        command=f"/open {tail}" if tail else "/open",
        outline=_OUTLINE,
        others=_OTHERS,
    )
    headings, blocks = rendered.headings, page.sheet.parsed.blocks
    shown = LongText(
        text=rendered.text,
        naming=naming,
        headings=headings,
        find_ids=lambda: heading_ids([it for _, it in headings], blocks),
    )
    return Parts(shown, most)
