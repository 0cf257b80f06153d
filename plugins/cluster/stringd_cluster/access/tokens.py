"""Tokens: how they are made, recognised and stored, and when they expire."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cached_property

from msgspec import Struct

from stringd_cluster.access.scopes import Scope

NEVER = "never"
_PREFIX = "strd_"
_BYTES = 32
_TOKEN = re.compile(r"strd_[A-Za-z0-9_-]{43}")
_SPAN = re.compile(r"([0-9]{1,6})([mhdw])")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LONGEST = timedelta(days=36525)
_EXPECTED = "a time such as 12h, 30d, 8w, 2026-12-31, 2026-12-31T18:00Z or never"


class Principal(Struct, frozen=True, kw_only=True, dict=True):
    """Who sends a request: the token's id, its user, and what it permits."""

    token_id: str
    user_id: str
    scopes: frozenset[Scope]

    def allows(self, wanted: Scope) -> bool:
        """Whether one of the scopes includes this one."""
        return any(scope.includes(wanted) for scope in self.scopes)

    @cached_property
    def is_admin(self) -> bool:
        """Whether everything is permitted, for every user."""
        return self.allows(Scope.ADMIN)


def _new_token() -> str:
    return _PREFIX + secrets.token_urlsafe(_BYTES)


def _new_id() -> str:
    return f"t-{secrets.token_hex(4)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token of 256 random bits that is about to be stored, and the id by which people call it."""

    user_id: str
    scopes: frozenset[Scope]
    expiry: timedelta | datetime | None = None
    note: str = ""
    id: str = field(default_factory=_new_id)
    token: str = field(default_factory=_new_token, repr=False)


def is_token(text: str) -> bool:
    """Whether a text has the form of a token."""
    return _TOKEN.fullmatch(text) is not None


def digest_of(token: str | bytes) -> bytes:
    """Return what is stored of a token; a token can't be guessed piece by piece through it."""
    content = token if isinstance(token, bytes) else token.encode("utf-8", "surrogateescape")
    return hashlib.sha256(content).digest()


def parse_scopes(text: str) -> frozenset[Scope]:
    """Return the scopes of a list such as `exec,read`, or raise `ValueError` with what is expected."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not set(words) <= set(Scope):
        raise ValueError(f"scopes are {', '.join(Scope)}, separated by commas")
    return frozenset(map(Scope, words))


def known_scopes(words: Collection[str]) -> frozenset[Scope]:
    """Return stored scopes; those of a later version permit nothing here."""
    return frozenset(Scope(word) for word in words if word in set(Scope))


def parse_expiry(text: str) -> timedelta | datetime | None:
    """Return a span, a time in UTC, or None for never; raise `ValueError` with what is expected.

    A date includes its whole day.
    """
    if text == NEVER:
        return None
    if span := _SPAN.fullmatch(text):
        return _checked_span(timedelta(**{_UNITS[span[2]]: int(span[1])}))
    try:
        if _DATE.fullmatch(text):
            return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC) + timedelta(days=1)
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"expected {_EXPECTED}") from None


def _checked_span(span: timedelta) -> timedelta:
    if not timedelta() < span <= _LONGEST:
        raise ValueError(f"expected {_EXPECTED}, at most 100 years")
    return span
