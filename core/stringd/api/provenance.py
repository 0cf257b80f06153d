"""Who has brought a value: it goes with the value wherever that is kept, copied or stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from stringd.api.checks import check_optional_text
from stringd.api.zones import Zone

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Author(StrEnum):
    """Who has said what a name stands for."""

    USER = "user"
    LOCAL = "local"
    NETWORK = "network"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Who has brought a value: the user by hand, a document of the user's own, or one of the network.

    `document` is the document's URI. `zone` is the farthest that anything of the value came from: it leads no
    nearer. `exported` tells that a document of the user's own wants it in the environment of programs,
    `holds_secret` that a `$NAME` was at hand where it was made.
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
        """Whether the user has set it."""
        return self.author is Author.USER

    @property
    def is_own(self) -> bool:
        """Whether the user has set it, or a document that is the user's own."""
        return self.author in {Author.USER, Author.LOCAL}

    def __str__(self) -> str:
        if self.author is Author.UNKNOWN:
            return "an unknown source"
        return self.document or "you"


BY_HAND = Provenance(author=Author.USER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributed(Generic[T_co]):
    """A text, or a tuple of texts, and who has brought it."""

    value: T_co
    provenance: Provenance

    def __post_init__(self) -> None:
        value: object = self.value
        check_optional_text("value", *(value if isinstance(value, tuple) else (value,)))
        if not isinstance(self.provenance, Provenance):
            raise TypeError(f"value needs a Provenance, not {self.provenance!r}")


def attributed(values: Mapping[str, T], provenance: Provenance) -> dict[str, Attributed[T]]:
    """Return named values with who has brought all of them."""
    return {name: Attributed(value=value, provenance=provenance) for name, value in values.items()}


def plain(values: Mapping[str, Attributed[T]]) -> dict[str, T]:
    """Return named values without who has brought them."""
    return {name: it.value for name, it in values.items()}
