"""Tickets, which are exchanged once, and the browsers that have exchanged them; in memory only."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import ClassVar, Self

from stringd.plugin import Event

_TOKEN_BYTES = 32
_MOST_TICKETS = 100
_MOST_BROWSERS = 100
_LONGEST_AGENT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSignedIn(Event):
    """A browser has used a link."""

    kind: ClassVar[str] = "console-signed-in"

    browser: str
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSignedOut(Event):
    """A browser was signed out, by itself or another one."""

    kind: ClassVar[str] = "console-signed-out"

    browser: str
    agent: str


@dataclass(slots=True, kw_only=True)
class Browser:
    """A signed-in browser, known by its cookie; its pages prove by their key that they are the console's."""

    id: str
    agent: str
    since: float = field(default_factory=time.time)
    signed_out: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    _key: bytes = field(repr=False)

    @classmethod
    def passed_on(cls, browser_id: str) -> Self:
        """Return a browser that is signed in at another node, which has checked it."""
        return cls(id=browser_id, agent="", _key=b"")

    def has_key(self, key: str) -> bool:
        """Return whether this is the browser's key."""
        return hmac.compare_digest(_digest(key), self._key)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """What a browser is given in exchange for a ticket."""

    cookie: str = field(repr=False)
    key: str = field(repr=False)


class SignedInBrowsers:
    """Verifies tickets and cookies, of which only SHA-256 digests are kept."""

    def __init__(self, publish: Callable[[Event], None]) -> None:
        self._publish = publish
        self._tickets: dict[bytes, float] = {}
        self._browsers: dict[bytes, Browser] = {}

    def make_ticket(self, seconds: float = float("inf")) -> str:
        """Return a ticket for one browser, valid for this time."""
        ticket = secrets.token_urlsafe(_TOKEN_BYTES)
        self._tickets[_digest(ticket)] = time.monotonic() + seconds
        while len(self._tickets) > _MOST_TICKETS:
            del self._tickets[next(iter(self._tickets))]
        return ticket

    def sign_in(self, ticket: str, agent: str) -> SignedIn | None:
        """Exchange a ticket; None if it is unknown, used or expired."""
        expires = self._tickets.pop(_digest(ticket), None)
        if expires is None or expires < time.monotonic():
            return None
        cookie, key = secrets.token_urlsafe(_TOKEN_BYTES), secrets.token_urlsafe(_TOKEN_BYTES)
        browser = Browser(id=secrets.token_hex(4), agent=agent[:_LONGEST_AGENT], _key=_digest(key))
        self._browsers[_digest(cookie)] = browser
        self._publish(BrowserSignedIn(browser=browser.id, agent=browser.agent))
        if len(self._browsers) > _MOST_BROWSERS:
            self.sign_out(next(iter(self._browsers.values())).id)
        return SignedIn(cookie=cookie, key=key)

    def browser(self, cookie: str) -> Browser | None:
        """Return the browser with this cookie."""
        return self._browsers.get(_digest(cookie))

    def listed(self) -> Sequence[Browser]:
        """Return all signed-in browsers, the latest last."""
        return list(self._browsers.values())

    def sign_out(self, browser_id: str) -> None:
        """Forget a browser, if it is known, and end what it follows."""
        for digest, browser in list(self._browsers.items()):
            if browser.id == browser_id:
                del self._browsers[digest]
                browser.signed_out.set()
                self._publish(BrowserSignedOut(browser=browser.id, agent=browser.agent))


def _digest(token: str) -> bytes:
    return sha256(token.encode(errors="replace")).digest()
