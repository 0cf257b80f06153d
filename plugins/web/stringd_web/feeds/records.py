"""What a feed tells, whichever language it is written in."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.plugin.documents import joined

# Nobody reads further, and each takes its time.
MOST_ENTRIES = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What someone wrote, in plain text or in HTML."""

    text: str = ""
    is_html: bool = False


NOTHING = Words()


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """A file that belongs to an entry."""

    uri: str
    media_type: str = ""
    size: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry; what it does not tell is empty."""

    title: Words = NOTHING
    uri: str = ""
    date: str = ""
    author: str = ""
    summary: Words = NOTHING
    enclosures: tuple[Enclosure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed with its entries, in their order."""

    title: Words = NOTHING
    uri: str = ""
    summary: Words = NOTHING
    entries: tuple[Entry, ...] = ()
    more: int = 0
    """How many entries there are beyond these."""


def address(base: str, reference: str) -> str:
    """Return what a reference of a feed leads to; nothing where there is none."""
    return joined(base, reference) if reference else ""
