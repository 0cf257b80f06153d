"""Parses http and https URLs as browsers do."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import unquote_to_bytes

from msgspec import Struct

_PORTS = {"http:": 80, "https:": 443}
# One page has its own URL parsed ten times.
_MOST_REMEMBERED, _LONGEST_REMEMBERED = 256, 2048


class WebUrl(Struct, frozen=True, kw_only=True):
    """A normalized http or https URL: `HTTP://127.1/ä b#c` becomes `http://127.0.0.1/%C3%A4%20b`."""

    scheme: str
    host: str
    port: int
    netloc: str
    target: str
    credentials: bytes = b""

    @staticmethod
    def read(text: str, base: str | None = None) -> WebUrl:
        """Parse a URL, absolute or relative to a base; raise `ValueError` with the reason if invalid."""
        is_short = len(text) + len(base or "") <= _LONGEST_REMEMBERED
        return (_remembered if is_short else _parsed)(text, base)

    @property
    def origin(self) -> str:
        """The scheme, the host, and the port unless it is the scheme's default."""
        return f"{self.scheme}://{self.netloc}"

    def __str__(self) -> str:
        return self.origin + self.target


def _parsed(text: str, base: str | None) -> WebUrl:
    # Slow to import, and not needed before the first URL is parsed.
    import ada_url

    try:
        url = ada_url.URL(text, base)
    except ValueError:
        raise ValueError("it is not a URL") from None
    if url.protocol not in _PORTS:
        raise ValueError("it is neither http:// nor https://")
    return WebUrl(
        scheme=url.protocol.removesuffix(":"),
        host=url.hostname.strip("[]"),
        port=int(url.port or _PORTS[url.protocol]),
        netloc=url.host,
        target=url.pathname + (url.search or _empty_query(url.href)),
        credentials=unquote_to_bytes(f"{url.username}:{url.password}") if url.username else b"",
    )


_remembered = lru_cache(_MOST_REMEMBERED)(_parsed)


def _empty_query(href: str) -> str:
    return "?" if href.partition("#")[0].endswith("?") else ""


def origin_of(uri: str) -> str | None:
    """Return the origin of an HTTP URL; None for any other URI."""
    try:
        return WebUrl.read(uri).origin
    except ValueError:
        return None
