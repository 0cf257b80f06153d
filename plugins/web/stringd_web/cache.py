"""The HTTP cache of a topic, bounded on its own and together with those of all topics.

cachetools would not replace the code here: a cache is bounded by bytes and by number, and all caches together
by the bytes of what was used least recently in any of them."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from itertools import count
from math import inf
from weakref import WeakSet

from msgspec import Struct
from msgspec.structs import replace

from stringd.plugin import HttpResponse

MAX_BYTES = 8 * 1024 * 1024
MAX_TOTAL_BYTES = 64 * 1024 * 1024
MAX_PAGES = 64
MAX_AGE_SECONDS = 365 * 24 * 3600
OK, NOT_MODIFIED = 200, 304
_MAX_DIGITS = 9
_DIRECTIVE = re.compile(r'([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,]*)))?', re.IGNORECASE)
_VALIDATORS = {"if-none-match": "etag", "if-modified-since": "last-modified"}


class CachedPage(Struct, frozen=True, kw_only=True):
    """A cached response, the request headers listed in its `Vary`, and when it becomes stale."""

    response: HttpResponse
    varying_headers: Mapping[str, str | None]
    fresh_until: float

    @property
    def is_fresh(self) -> bool:
        """Whether it may be used without revalidation."""
        return time.monotonic() < self.fresh_until

    @property
    def size(self) -> int:
        """Its size in bytes."""
        headers = self.response.headers
        return len(self.response.body) + sum(map(len, headers)) + sum(map(len, headers.values()))

    @property
    def conditions(self) -> dict[str, str]:
        """The headers of a conditional request for revalidation."""
        headers = self.response.headers
        return {name: headers[of] for name, of in _VALIDATORS.items() if of in headers}


class CacheBudget:
    """A limit on the total size of all caches; beyond it, the least recently used pages are evicted."""

    def __init__(self, most_bytes: int = MAX_TOTAL_BYTES) -> None:
        self._most_bytes = most_bytes
        self._caches: WeakSet[PageCache] = WeakSet()
        self._clock = count()

    def register(self, cache: PageCache) -> None:
        """Include a cache in the total for as long as it exists."""
        self._caches.add(cache)

    def tick(self) -> int:
        """Return a number that increases with each call."""
        return next(self._clock)

    def enforce(self) -> None:
        """Evict pages until the total is within the limit."""
        excess = sum(it.size for it in self._caches) - self._most_bytes
        while excess > 0:
            excess -= min(self._caches, key=lambda it: it.oldest).evict_oldest()


class PageCache:
    """An LRU cache of pages, bounded by number and total size."""

    def __init__(self, budget: CacheBudget) -> None:
        self._pages: OrderedDict[str, CachedPage] = OrderedDict()
        self._used: dict[str, int] = {}
        self._budget = budget
        self.size = 0
        """The total size of the pages in bytes."""
        budget.register(self)

    @property
    def oldest(self) -> float:
        """The tick at which the least recently used page was used."""
        return self._used[next(iter(self._pages))] if self._pages else inf

    def find(self, url: str, headers: Mapping[str, str]) -> CachedPage | None:
        """Return the cached page of a URL if it matches the headers of the request."""
        cached = self._pages.get(url)
        if cached is None or any(
            headers.get(name) != value for name, value in cached.varying_headers.items()
        ):
            return None
        self._pages.move_to_end(url)
        self._used[url] = self._budget.tick()
        return cached

    def store(self, url: str, headers: Mapping[str, str], response: HttpResponse) -> None:
        """Store a response in place of the URL's previous one, if it is cacheable."""
        self.evict(url)
        cached = _to_cached_page(headers, response)
        if cached is None or cached.size > MAX_BYTES:
            return
        self._pages[url] = cached
        self._used[url] = self._budget.tick()
        self.size += cached.size
        while self.size > MAX_BYTES or len(self._pages) > MAX_PAGES:
            self.evict_oldest()
        self._budget.enforce()

    def evict(self, url: str) -> None:
        """Remove a URL."""
        cached = self._pages.pop(url, None)
        if cached:
            self.size -= cached.size
            del self._used[url]

    def evict_oldest(self) -> int:
        """Remove the least recently used page and return its size."""
        before = self.size
        self.evict(next(iter(self._pages)))
        return before - self.size


def revalidated(cached: CachedPage, response: HttpResponse) -> HttpResponse:
    """Return a cached response updated by the 304 response that confirmed it."""
    updates = {name: text for name, text in response.headers.items() if not name.startswith("content-")}
    headers = {**cached.response.headers, **updates}
    zone = min(cached.response.zone, response.zone)
    return replace(cached.response, headers=headers, cookies=response.cookies, zone=zone)


def _to_cached_page(headers: Mapping[str, str], response: HttpResponse) -> CachedPage | None:
    directives = _directives(response.headers)
    varies = [it.strip().lower() for it in response.headers.get("vary", "").split(",") if it.strip()]
    if response.status != OK or "no-store" in directives or "*" in varies:
        return None
    seconds = _lifetime(directives, response.headers)
    cached = CachedPage(
        response=response,
        varying_headers={name: headers.get(name) for name in varies},
        fresh_until=time.monotonic() + seconds,
    )
    return cached if seconds > 0 or cached.conditions else None


def _lifetime(directives: Mapping[str, str], headers: Mapping[str, str]) -> float:
    """Return the seconds for which a new response is fresh; 0 if the server states nothing."""
    if "no-cache" in directives:
        return 0
    named = directives.get("max-age")
    seconds = _until_expired(headers) if named is None else _non_negative_int(named)
    return max(0, min(seconds, MAX_AGE_SECONDS) - _non_negative_int(headers.get("age", "")))


def _until_expired(headers: Mapping[str, str]) -> float:
    expires, conditional = _timestamp(headers.get("expires")), _timestamp(headers.get("date"))
    if expires is None:
        return 0
    return expires - (time.time() if conditional is None else conditional)


def _directives(headers: Mapping[str, str]) -> dict[str, str]:
    text = headers.get("cache-control") or headers.get("pragma", "")
    return {it[1].lower(): it[2] or it[3] or "" for it in _DIRECTIVE.finditer(text)}


def _non_negative_int(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        return 0
    digits = text.lstrip("0")
    return int(digits or 0) if len(digits) <= _MAX_DIGITS else MAX_AGE_SECONDS


def _timestamp(date: str | None) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp() if date else None
    except (ValueError, OverflowError):
        return None
