"""Shortcuts for links of a page to URIs of loaders other than the web's."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from stringd.documents.pages.file_pages import SMALL, done
from stringd.documents.pages.page import Page
from stringd.documents.syntax.document_text import rendered
from stringd.documents.syntax.shortcuts import find_shortcuts, name_links


async def with_link_names(page: Page, schemes: Collection[str]) -> Page:
    """Return the page with shortcuts for its links to URIs of these schemes, as for web links."""
    parsed = page.sheet.parsed
    if parsed.link_schemes.isdisjoint(schemes):
        return page
    return await done(lambda: _named(page, schemes), here=len(parsed.lines.text) <= SMALL)


def _named(page: Page, schemes: Collection[str]) -> Page:
    sheet, parsed = page.sheet, page.sheet.parsed
    if sheet.from_outline:
        shortcuts = name_links(parsed.links, parsed.lines, schemes=schemes)
    else:
        shortcuts = find_shortcuts(parsed, schemes=schemes)
    return replace(page, sheet=replace(sheet, shortcuts=shortcuts, rendered=rendered(parsed, shortcuts)))
