"""Parser of Atom feeds."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from stringd_web.feeds.feed_records import (
    MAX_ENTRIES,
    NO_TEXT,
    Enclosure,
    Entry,
    Feed,
    FeedText,
    resolve_address,
)
from stringd_web.feeds.xml import Element

_HTML = {"html", "text/html"}
_XHTML = {"xhtml", "application/xhtml+xml"}


def read_atom(root: Element, uri: str) -> Feed | None:
    """Return an Atom feed; None if the document is something else."""
    if root.name != "atom:feed":
        return None
    base = _base(root, uri)
    author, entries = _author(root), [*root.all("atom:entry")]
    return Feed(
        title=_feed_text(root.first("atom:title")),
        uri=_link(root, base),
        summary=_feed_text(root.first("atom:subtitle", "atom:tagline")),
        entries=tuple(_entry(it, _base(it, base), author) for it in entries[:MAX_ENTRIES]),
        further_entries=len(entries[MAX_ENTRIES:]),
    )


def _entry(entry: Element, base: str, author: str) -> Entry:
    return Entry(
        title=_feed_text(entry.first("atom:title")),
        uri=_link(entry, base),
        date=entry.child_text("atom:published", "atom:issued", "atom:updated", "atom:modified"),
        author=_author(entry) or author,
        summary=_feed_text(entry.first("atom:summary", "atom:content")),
        enclosures=tuple(_enclosures(entry, base)),
    )


def _base(element: Element, base: str) -> str:
    return resolve_address(base, element.attributes.get("xml:base", "")) or base


def _author(element: Element) -> str:
    names = (it.child_text("atom:name", "atom:email") for it in element.all("atom:author"))
    return ", ".join(filter(None, names))


def _link(element: Element, base: str) -> str:
    links = [it.attributes for it in element.all("atom:link") if it.attributes.get("href")]
    alternate = (it["href"] for it in links if it.get("rel", "alternate") == "alternate")
    return resolve_address(base, next(alternate, ""))


def _enclosures(entry: Element, base: str) -> Iterator[Enclosure]:
    for it in entry.all("atom:link"):
        if it.attributes.get("rel") == "enclosure" and it.attributes.get("href"):
            yield Enclosure(
                uri=resolve_address(base, it.attributes["href"]),
                media_type=it.attributes.get("type", ""),
                size=it.attributes.get("length", ""),
                title=it.attributes.get("title", ""),
            )


def _feed_text(element: Element | None) -> FeedText:
    if element is None:
        return NO_TEXT
    kind = element.attributes.get("type", "text")
    if kind in _XHTML:
        return FeedText(text=_inner_html(element), is_html=True)
    return FeedText(text=element.whole_text().strip(), is_html=kind in _HTML)


def _inner_html(element: Element) -> str:
    return "".join((escape(element.text), *(_outer_html(it) + escape(it.tail) for it in element.children)))


def _outer_html(element: Element) -> str:
    name = element.name.rpartition(":")[2]
    return f"<{name}>{_inner_html(element)}</{name}>"
