"""RSS in all its versions."""

from __future__ import annotations

from collections.abc import Iterator

from stringd_web.feeds.feed_records import MOST_ENTRIES, Enclosure, Entry, Feed, Words, address
from stringd_web.feeds.xml import Element

_WEB = ("http://", "https://")


def read_rss(root: Element, uri: str) -> Feed | None:
    """Return a feed in RSS, of 0.9 to 2.0; None if it is something else."""
    if root.name not in {"rss", "rdf:RDF"}:
        return None
    channel = root.first("channel")
    if channel is None:
        return None
    home = address(uri, channel.told("link"))
    items = (*channel.all("item"), *root.all("item"))
    return Feed(
        title=Words(text=channel.told("title"), is_html=True),
        uri=home,
        summary=Words(text=channel.told("description", "itunes:summary"), is_html=True),
        entries=tuple(_entry(it, home or uri) for it in items[:MOST_ENTRIES]),
        more=len(items[MOST_ENTRIES:]),
    )


def _entry(item: Element, home: str) -> Entry:
    return Entry(
        title=Words(text=item.told("title", "itunes:title"), is_html=True),
        uri=address(home, _target(item)),
        date=item.told("pubDate", "dc:date", "atom:updated", "atom:published"),
        author=item.told("author", "dc:creator", "itunes:author"),
        summary=Words(
            text=item.told("description", "content:encoded", "itunes:summary", "media:description"),
            is_html=True,
        ),
        enclosures=tuple(_enclosures(item, home)),
    )


def _target(item: Element) -> str:
    link = item.told("link") or next((it.attributes.get("href", "") for it in item.all("atom:link")), "")
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
                uri=address(home, target),
                media_type=it.attributes.get("type", ""),
                size=it.attributes.get("length") or it.attributes.get("fileSize", ""),
            )
