"""Parser of RSS feeds, 0.9 to 2.0."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from html import unescape

from stringd_web.feeds.feed_records import MAX_ENTRIES, Enclosure, Entry, Feed, FeedText, resolve_address
from stringd_web.feeds.xml import Element

_WEB = ("http://", "https://")
_TAG = re.compile(r"<(/?)([a-zA-Z]\w*+)((?:\s[^<>]*+)?)/?>")
_FORMATTING = """
    a abbr b bdi bdo big cite code del em font i ins kbd mark q s small span strike strong sub sup tt u
"""
_FORMATS = frozenset(_FORMATTING.split())
_ALONE = frozenset({"br", "img", "wbr"})


def read_rss(root: Element, uri: str) -> Feed | None:
    """Return an RSS feed; None if the document is something else."""
    if root.name not in {"rss", "rdf:RDF"}:
        return None
    channel = root.first("channel")
    if channel is None:
        return None
    home = resolve_address(uri, channel.child_text("link"))
    items = (*channel.all("item"), *root.all("item"))
    return Feed(
        title=FeedText(text=_title_text(channel.child_text("title"))),
        uri=home,
        summary=FeedText(text=channel.child_text("description", "itunes:summary"), is_html=True),
        entries=tuple(_entry(it, home or uri) for it in items[:MAX_ENTRIES]),
        further_entries=len(items[MAX_ENTRIES:]),
    )


def _entry(item: Element, home: str) -> Entry:
    return Entry(
        title=FeedText(text=_title_text(item.child_text("title", "itunes:title"))),
        uri=resolve_address(home, _target(item)),
        date=item.child_text("pubDate", "dc:date", "atom:updated", "atom:published"),
        author=item.child_text("author", "dc:creator", "itunes:author"),
        summary=FeedText(
            text=item.child_text("description", "content:encoded", "itunes:summary", "media:description"),
            is_html=True,
        ),
        enclosures=tuple(_enclosures(item, home)),
    )


def _target(item: Element) -> str:
    link = item.child_text("link") or next(
        (it.attributes.get("href", "") for it in item.all("atom:link")), ""
    )
    guid = item.first("guid")
    if link or guid is None or guid.attributes.get("isPermaLink") == "false":
        return link
    text = guid.whole_text().strip()
    return text if text.startswith(_WEB) else ""


def _enclosures(item: Element, home: str) -> Iterator[Enclosure]:
    known: set[str] = set()
    for it in item.all("enclosure", "media:content"):
        target = it.attributes.get("url", "").strip()
        if target and target not in known:
            known.add(target)
            yield Enclosure(
                uri=resolve_address(home, target),
                media_type=it.attributes.get("type", ""),
                size=it.attributes.get("length") or it.attributes.get("fileSize", ""),
            )


def _title_text(written: str) -> str:
    """Return the text of a title, which may be HTML: without pairs of formatting tags."""
    removed = _formatting(written)
    text = _TAG.sub(lambda tag: "" if tag.start() in removed else tag[0], written)
    return unescape(text)


def _formatting(written: str) -> set[int]:
    """Return the positions of the tags that format a title: in pairs, or known to stand alone."""
    removed: set[int] = set()
    opened: defaultdict[str, list[int]] = defaultdict(list)
    for tag in _TAG.finditer(written):
        name = tag[2].lower()
        if name in _ALONE:
            removed.add(tag.start())
        elif name in _FORMATS and not tag[1]:
            opened[name].append(tag.start())
        elif opened[name]:
            removed.update((opened[name].pop(), tag.start()))
    return removed
