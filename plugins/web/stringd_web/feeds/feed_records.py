"""Records of a feed, independent of its format."""

from __future__ import annotations

from msgspec import Struct

from stringd.plugin.documents import resolve_uri

# Processing time grows with the number of entries, and nobody reads this many.
MAX_ENTRIES = 5000


class FeedText(Struct, frozen=True, kw_only=True):
    """Text of a feed, plain or HTML."""

    text: str = ""
    is_html: bool = False


NO_TEXT = FeedText()


class Enclosure(Struct, frozen=True, kw_only=True):
    """A file attached to an entry."""

    uri: str
    media_type: str = ""
    size: str = ""
    title: str = ""


class Entry(Struct, frozen=True, kw_only=True):
    """An entry; missing data is empty."""

    title: FeedText = NO_TEXT
    uri: str = ""
    date: str = ""
    author: str = ""
    summary: FeedText = NO_TEXT
    enclosures: tuple[Enclosure, ...] = ()


class Feed(Struct, frozen=True, kw_only=True):
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
