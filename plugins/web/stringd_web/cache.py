"""The pages that a topic has fetched, as long as their servers let them be used again."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from itertools import count
from math import inf
from weakref import WeakSet

from stringd.plugin import HttpResponse

MOST_BYTES = 8 * 1024 * 1024
MOST_BYTES_OF_ALL = 64 * 1024 * 1024
MOST_PAGES = 64
LONGEST_SECONDS = 365 * 24 * 3600
OK, NOT_MODIFIED = 200, 304
_MOST_DIGITS = 9
_DIRECTIVE = re.compile(r'([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,]*)))?', re.IGNORECASE)
_VALIDATORS = {"if-none-match": "etag", "if-modified-since": "last-modified"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An answer, the headers of its request that its server says it depends on, and when it is stale."""

    response: HttpResponse
    varied: Mapping[str, str | None]
    fresh_until: float

    @property
    def is_fresh(self) -> bool:
        """Whether the server need not be asked whether it is still right."""
        return time.monotonic() < self.fresh_until

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        headers = self.response.headers
        return len(self.response.body) + sum(map(len, headers)) + sum(map(len, headers.values()))

    @property
    def conditions(self) -> dict[str, str]:
        """The headers that ask for the page only if it is another one now."""
        headers = self.response.headers
        return {name: headers[of] for name, of in _VALIDATORS.items() if of in headers}


class Room:
    """What the caches of all topics take together; where it is too much, what was used longest ago goes."""

    def __init__(self, most_bytes: int = MOST_BYTES_OF_ALL) -> None:
        self._most_bytes = most_bytes
        self._caches: WeakSet[Cache] = WeakSet()
        self._clock = count()

    def admit(self, cache: Cache) -> None:
        """Count what a cache keeps, as long as it is there."""
        self._caches.add(cache)

    def moment(self) -> int:
        """Return a number that is larger each time."""
        return next(self._clock)

    def tidy(self) -> None:
        """Have the caches forget until there is room."""
        excess = sum(it.size for it in self._caches) - self._most_bytes
        while excess > 0:
            excess -= min(self._caches, key=lambda it: it.oldest).forget_oldest()


class Cache:
    """Keeps the pages that were used last, up to a number and a size of all of them."""

    def __init__(self, room: Room) -> None:
        self._pages: OrderedDict[str, Kept] = OrderedDict()
        self._used: dict[str, int] = {}
        self._room = room
        self.size = 0
        """How many bytes the pages take."""
        room.admit(self)

    @property
    def oldest(self) -> float:
        """When the page was used that was used longest ago."""
        return self._used[next(iter(self._pages))] if self._pages else inf

    def find(self, url: str, headers: Mapping[str, str]) -> Kept | None:
        """Return what is kept of a URL, if it answers a request with such headers."""
        kept = self._pages.get(url)
        if kept is None or any(headers.get(name) != value for name, value in kept.varied.items()):
            return None
        self._pages.move_to_end(url)
        self._used[url] = self._room.moment()
        return kept

    def keep(self, url: str, headers: Mapping[str, str], response: HttpResponse) -> None:
        """Keep the answer to a request in place of what was kept of its URL, as far as its server lets us."""
        self.forget(url)
        kept = _kept(headers, response)
        if kept is None or kept.size > MOST_BYTES:
            return
        self._pages[url] = kept
        self._used[url] = self._room.moment()
        self.size += kept.size
        while self.size > MOST_BYTES or len(self._pages) > MOST_PAGES:
            self.forget_oldest()
        self._room.tidy()

    def forget(self, url: str) -> None:
        """Keep nothing of a URL."""
        kept = self._pages.pop(url, None)
        if kept:
            self.size -= kept.size
            del self._used[url]

    def forget_oldest(self) -> int:
        """Forget the page that was used longest ago, and return how many bytes it took."""
        before = self.size
        self.forget(next(iter(self._pages)))
        return before - self.size


def confirmed(kept: Kept, response: HttpResponse) -> HttpResponse:
    """Return a kept answer of which its server has said that it is still right, with the news of that."""
    news = {name: text for name, text in response.headers.items() if not name.startswith("content-")}
    headers = {**kept.response.headers, **news}
    zone = min(kept.response.zone, response.zone)
    return replace(kept.response, headers=headers, cookies=response.cookies, zone=zone)


def _kept(headers: Mapping[str, str], response: HttpResponse) -> Kept | None:
    directives = _directives(response.headers)
    varies = [it.strip().lower() for it in response.headers.get("vary", "").split(",") if it.strip()]
    if response.status != OK or "no-store" in directives or "*" in varies:
        return None
    seconds = _lifetime(directives, response.headers)
    kept = Kept(
        response=response,
        varied={name: headers.get(name) for name in varies},
        fresh_until=time.monotonic() + seconds,
    )
    return kept if seconds > 0 or kept.conditions else None


def _lifetime(directives: Mapping[str, str], headers: Mapping[str, str]) -> float:
    """Return for how many seconds an answer is fresh that has just come; without a word on it, for none."""
    if "no-cache" in directives:
        return 0
    named = directives.get("max-age")
    seconds = _until_expired(headers) if named is None else _number(named)
    return max(0, min(seconds, LONGEST_SECONDS) - _number(headers.get("age", "")))


def _until_expired(headers: Mapping[str, str]) -> float:
    expires, sent = _moment(headers.get("expires")), _moment(headers.get("date"))
    if expires is None:
        return 0
    return expires - (time.time() if sent is None else sent)


def _directives(headers: Mapping[str, str]) -> dict[str, str]:
    text = headers.get("cache-control") or headers.get("pragma", "")
    return {it[1].lower(): it[2] or it[3] or "" for it in _DIRECTIVE.finditer(text)}


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        return 0
    digits = text.lstrip("0")
    return int(digits or 0) if len(digits) <= _MOST_DIGITS else LONGEST_SECONDS


def _moment(date: str | None) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp() if date else None
    except (ValueError, OverflowError):
        return None
