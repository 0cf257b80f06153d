"""Parser of JSON Feed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from stringd_web.feeds.feed_records import MAX_ENTRIES, Enclosure, Entry, Feed, FeedText, resolve_address

_VERSION = "jsonfeed.org/version/"


def read_json_feed(text: str, uri: str) -> Feed | None:
    """Return a JSON Feed; None if the text is something else."""
    if _VERSION not in text:
        return None
    try:
        feed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    items = feed.get("items") if isinstance(feed, dict) and _VERSION in _text(feed, "version") else None
    if not isinstance(items, list):
        return None
    author = _authors(feed)
    return Feed(
        title=FeedText(text=_text(feed, "title")),
        uri=resolve_address(uri, _text(feed, "home_page_url")),
        summary=FeedText(text=_text(feed, "description")),
        entries=tuple(_entry(it, uri, author) for it in items[:MAX_ENTRIES] if isinstance(it, dict)),
        further_entries=len(items[MAX_ENTRIES:]),
    )


def _entry(item: dict[str, Any], uri: str, author: str) -> Entry:
    return Entry(
        title=FeedText(text=_text(item, "title")),
        uri=resolve_address(uri, _text(item, "url") or _text(item, "external_url")),
        date=_text(item, "date_published") or _text(item, "date_modified"),
        author=_authors(item) or author,
        summary=_summary(item),
        enclosures=tuple(_enclosures(item, uri)),
    )


def _summary(item: dict[str, Any]) -> FeedText:
    plain = _text(item, "summary") or _text(item, "content_text")
    return FeedText(text=plain) if plain else FeedText(text=_text(item, "content_html"), is_html=True)


def _authors(of: dict[str, Any]) -> str:
    authors = [*_records(of, "authors"), *([of["author"]] if isinstance(of.get("author"), dict) else [])]
    return ", ".join(dict.fromkeys(filter(None, (_text(it, "name") for it in authors))))


def _enclosures(item: dict[str, Any], uri: str) -> Iterator[Enclosure]:
    for it in _records(item, "attachments"):
        if _text(it, "url"):
            yield Enclosure(
                uri=resolve_address(uri, _text(it, "url")),
                media_type=_text(it, "mime_type"),
                size=str(it.get("size_in_bytes") or ""),
                title=_text(it, "title"),
            )


def _records(of: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = of.get(name)
    return [it for it in found if isinstance(it, dict)] if isinstance(found, list) else []


def _text(of: dict[str, Any], name: str) -> str:
    found = of.get(name)
    return found.strip() if isinstance(found, str) else ""
