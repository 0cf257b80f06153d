"""The provenance of values: it accompanies a value wherever that is copied or stored."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Generic, TypeVar

from stringd.api.checks import check_optional_text
from stringd.api.zones import Zone
from stringd.frozen_record import FrozenRecord

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Author(StrEnum):
    """Who defined a value."""

    USER = "user"
    LOCAL = "local"
    NETWORK = "network"
    UNKNOWN = "unknown"


class Provenance(FrozenRecord, frozen=True, kw_only=True):
    """Where a value came from: the user by hand, one of the user's own documents, or a network document.

    `document` is the document's URI. `zone` is the farthest zone that any part of the value came from; links
    made of it cannot reach a nearer one. `exported` means that one of the user's own documents exports it to
    programs, and `holds_secret` that a `$NAME` was available where it was made.
    """

    author: Author
    document: str = ""
    zone: Zone = Zone.LOOPBACK
    exported: bool = False
    holds_secret: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.author, Author) or not isinstance(self.zone, Zone):
            raise TypeError(f"provenance needs an Author and a Zone, not {self.author!r} and {self.zone!r}")
        check_optional_text("provenance", self.document)

    @property
    def by_hand(self) -> bool:
        """Whether the user set the value by hand."""
        return self.author is Author.USER

    @property
    def is_own(self) -> bool:
        """Whether the user or one of the user's own documents set the value."""
        return self.author in {Author.USER, Author.LOCAL}

    def __str__(self) -> str:
        if self.author is Author.UNKNOWN:
            return "an unknown source"
        return self.document or "you"


BY_HAND = Provenance(author=Author.USER)


class Attributed(FrozenRecord, Generic[T_co], frozen=True, kw_only=True):
    """A text or a tuple of texts, with its provenance."""

    value: T_co
    provenance: Provenance

    def __post_init__(self) -> None:
        value: object = self.value
        check_optional_text("value", *(value if isinstance(value, tuple) else (value,)))
        if not isinstance(self.provenance, Provenance):
            raise TypeError(f"value needs a Provenance, not {self.provenance!r}")


def attributed(values: Mapping[str, T], provenance: Provenance) -> dict[str, Attributed[T]]:
    """Return the values with this provenance for each of them."""
    return {name: Attributed(value=value, provenance=provenance) for name, value in values.items()}


def plain(values: Mapping[str, Attributed[T]]) -> dict[str, T]:
    """Return the values without their provenance."""
    return {name: it.value for name, it in values.items()}
