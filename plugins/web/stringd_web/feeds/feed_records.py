"""Records of a feed, independent of its format."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.plugin.documents import resolve_uri

# Processing time grows with the number of entries, and nobody reads this many.
MAX_ENTRIES = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedText:
    """Text of a feed, plain or HTML."""

    text: str = ""
    is_html: bool = False


NO_TEXT = FeedText()


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """A file attached to an entry."""

    uri: str
    media_type: str = ""
    size: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry; missing data is empty."""

    title: FeedText = NO_TEXT
    uri: str = ""
    date: str = ""
    author: str = ""
    summary: FeedText = NO_TEXT
    enclosures: tuple[Enclosure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed with its entries in feed order."""

    title: FeedText = NO_TEXT
    uri: str = ""
    summary: FeedText = NO_TEXT
    entries: tuple[Entry, ...] = ()
    further_entries: int = 0
    """The number of further entries beyond these."""


def resolve_address(base: str, reference: str) -> str:
    """Resolve a reference in a feed; empty if there is none."""
    return resolve_uri(base, reference) if reference else ""
