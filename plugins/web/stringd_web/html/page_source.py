"""The source of a page, and what its start tags tell quickly: which elements and names it can't contain."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser, LexborNode

# A quote without its end is no quote. No text is scanned twice, and what a quote hides is part of the match.
_START_TAG = re.compile(rb"""<[a-zA-Z][^>"']*+(?:(?:"[^"]*+"|'[^']*+'|["'])[^>"']*+)*+""")
_NAME = re.compile(rb"<([a-z][a-z0-9-]*)")
# The parser renames the first, and the second is made of the content of frames.
_RENAMED = {"image": "img", "frame": "iframe"}
_AROUND_CONTENT = frozenset({"form", "input", "select", "textarea", "button", "label", "img", "svg"})


class PageSource(Struct, frozen=True, kw_only=True):
    """The HTML of a page, its distinct start tags in lower case, and a superset of its elements' names."""

    text: str
    encoded: bytes
    start_tags: bytes
    names: frozenset[str]

    def has(self, *names: str) -> bool:
        """Whether there may be an element of any of these names."""
        return not self.names.isdisjoint(names)

    def mentions(self, *parts: bytes) -> bool:
        """Whether any of these may be a part of a tag or an attribute."""
        return any(it in self.start_tags for it in parts)


def source_of_content(tree: LexborHTMLParser, source: PageSource) -> PageSource:
    """Return the source without the names of elements that are in many pages, and in the content of few."""
    left = {it.tag or "" for it in find_named(tree, source, _AROUND_CONTENT)}
    return replace(source, names=source.names - _AROUND_CONTENT | left)


def find_named(tree: LexborHTMLParser, source: PageSource, names: Iterable[str]) -> list[LexborNode]:
    """Return the elements with any of these names, in the order of the page."""
    return find_mentioned(tree, source, {}, names)


def find_mentioned(
    tree: LexborHTMLParser, source: PageSource, selectors: Mapping[bytes, str], names: Iterable[str] = ()
) -> list[LexborNode]:
    """Return the elements that have a name or match a selector, in the order of the page.

    What a selector matches has the part of a tag in it that the selector is listed under. The search takes
    longer with each selector, and pages mention few of the parts.
    """
    possible = [it for it in names if it in source.names]
    possible += [selector for part, selector in selectors.items() if part in source.start_tags]
    return tree.css(", ".join(possible)) if possible else []


def page_source(text: str) -> PageSource:
    """Return the source of a page with what is known from its start tags."""
    # Searching bytes is several times as fast as searching text, and the parser takes bytes.
    encoded = text.encode(errors="replace")
    tags = b"\n".join({*_START_TAG.findall(encoded)}).lower()
    names = {it.decode() for it in {*_NAME.findall(tags)}}
    return PageSource(
        text=text,
        encoded=encoded,
        start_tags=html.unescape(tags.decode()).encode(errors="replace") if b"&" in tags else tags,
        names=frozenset({*names, *(new for old, new in _RENAMED.items() if old in names)}),
    )
