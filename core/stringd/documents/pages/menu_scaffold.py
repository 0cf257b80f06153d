"""Generate the text of a menu file from the links of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stringd.api.outlines import Link
from stringd.documents.pages.page import Page
from stringd.documents.syntax.links import is_directive
from stringd.text.uris import resolve_uri

_BARE = re.compile(r"[^\s<>()\x00-\x1f\x7f]+")
_SPECIAL = re.compile(r"[\\<>]|&(?=#?\w+;)")


def scaffold(page: Page) -> Iterator[str]:
    """Yield a menu entry for each target of the page: its shortcuts first, then its other links."""
    known = set()
    for it in page.sheet.shortcuts.by_id.values():
        known.add(it.target)
        yield _entry(f"@{it.id} {it.label or it.id}", it.target, page)
    for link in filter(_is_plain, page.sheet.parsed.links):
        if link.target not in known:
            known.add(link.target)
            yield _entry(" ".join(link.label.split()) or "link", link.target, page)


def _is_plain(link: Link) -> bool:
    return not link.image and not is_directive(link)


def _entry(label: str, target: str, page: Page) -> str:
    return f"- [{label}]({_link_target(_beside(page, target))})"


def _beside(page: Page, target: str) -> str:
    """Return a target of the page as it is written in a file beside the page."""
    if page.path is None:
        return resolve_uri(page.uri, target)
    return f"{page.path.name}{target}" if target.startswith("#") or not target else target


def _link_target(target: str) -> str:
    escaped = _SPECIAL.sub(lambda found: f"\\{found[0]}", target)
    return escaped if _BARE.fullmatch(target) else f"<{escaped}>"
