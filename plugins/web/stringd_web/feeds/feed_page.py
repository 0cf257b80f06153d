"""The page of a feed: its title and its entries."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from stringd.plugin.documents import MarkdownWriter
from stringd.plugin.media_types import document_name
from stringd.plugin.text import counted
from stringd_web.feeds.feed_records import Enclosure, Entry, Feed, FeedText

Plain = Callable[[str], str]
MAX_SUMMARY_LENGTH = 500
_MAX_LABEL_LENGTH = 80
_MAX_DIGITS = 18
_DAY = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_MARKUP = re.compile(r"[<&]")


def feed_page(feed: Feed, plain: Plain, uri: str) -> tuple[str, MarkdownWriter]:
    """Return a feed's title and its page; `plain` converts HTML to plain text."""
    writer = MarkdownWriter()
    title = _plain(feed.title, plain) or document_name(uri)
    writer.heading(title, feed.uri)
    summary = _summary_excerpt(_plain(feed.summary, plain))
    writer.put(f"\n{summary}\n\n" if summary else "\n")
    if not feed.entries:
        writer.put("(no entries)\n")
    for entry in feed.entries:
        _put_entry(entry, plain, writer)
    if feed.further_entries:
        count = counted(feed.further_entries, "more entry", "more entries")
        writer.put(f"\n[!] {count}: /source shows the feed.\n")
    return title, writer


def _put_entry(entry: Entry, plain: Plain, writer: MarkdownWriter) -> None:
    title, summary = _plain(entry.title, plain), _plain(entry.summary, plain)
    writer.put("- ")
    label = title or _shortened(summary, _MAX_LABEL_LENGTH) or entry.uri or "(untitled)"
    writer.link(label, entry.uri)
    writer.put("".join(f" · {it}" for it in (_date(entry.date), _line(entry.author)) if it) + "\n")
    if summary not in {"", label}:
        writer.put(f"  {_summary_excerpt(summary)}\n")
    for enclosure in entry.enclosures:
        _put_enclosure(enclosure, writer)


def _put_enclosure(enclosure: Enclosure, writer: MarkdownWriter) -> None:
    facts = ", ".join(filter(None, (_line(enclosure.media_type), _size(enclosure.size))))
    writer.put("  enclosure: ")
    writer.link(_line(enclosure.title) or document_name(enclosure.uri), enclosure.uri)
    writer.put(f" ({facts})\n" if facts else "\n")


def _size(declared: str) -> str:
    digits = declared.lstrip("0") if declared.isdecimal() else ""
    return counted(int(digits), "byte") if 0 < len(digits) <= _MAX_DIGITS else ""


def _plain(words: FeedText, plain: Plain) -> str:
    is_markup = words.is_html and _MARKUP.search(words.text)
    return _line(plain(words.text) if is_markup else words.text)


def _line(text: str) -> str:
    return " ".join(text.split())


def _summary_excerpt(text: str) -> str:
    shown = _shortened(text, MAX_SUMMARY_LENGTH)
    left = len(text) - len(shown.removesuffix("…"))
    return f"{shown} [{counted(left, 'more character')}]" if shown != text else text


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[:longest].rpartition(' ')[0] or text[:longest]}…"


def _date(text: str) -> str:
    """Return a date in uniform format; an unreadable one stays unchanged."""
    if _DAY.fullmatch(text):
        return text
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return _formatted(read(text))
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return _shortened(_line(text), _MAX_LABEL_LENGTH)


def _formatted(date: datetime) -> str:
    if date.tzinfo is None:
        return f"{date:%Y-%m-%d %H:%M}"
    return f"{date.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
