"""Immediate refreshes: `<meta http-equiv=refresh content="0; url=...">` and the Refresh header."""

from __future__ import annotations

import re
from contextlib import suppress
from html.parser import HTMLParser
from urllib.parse import urljoin

from stringd.plugin import HttpResponse
from stringd.plugin.text import WebUrl, parse_media_type

MAX_READ = 64 * 1024
_FIRST_OTHER = 300
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_INERT = frozenset({"noscript", "template"})
# Possessive quantifiers: repetitive pages are scanned in linear time.
_REFRESH_HINT = re.compile(rb"http-equiv\s*+=\s*+[\"']?\s*+refresh")
_VALUE = re.compile(r"\s*+(?P<seconds>[0-9]++|(?=\.))[0-9.]*+(?:\s*+[;,]\s*+|\s++)(?P<rest>.*)", re.DOTALL)
_URL = re.compile(r"(?:url\s*=\s*)?(?P<quote>[\"']?)(?P<url>.*)", re.IGNORECASE | re.DOTALL)


def refresh_target(response: HttpResponse, url: WebUrl) -> WebUrl | None:
    """Return the target of a page's immediate refresh; None if it has none."""
    if response.status >= _FIRST_OTHER:
        return None
    try:
        to = _refresh(response)
        target = WebUrl.read(to, str(url)) if to else None
    except ValueError:
        return None
    # A page that only reloads itself is shown.
    return None if target is None or target == url or target.credentials else target


def _refresh(response: HttpResponse) -> str | None:
    if "refresh" in response.headers:
        return parse_refresh(response.headers["refresh"])
    media_type = parse_media_type(response.headers.get("content-type", "")).type
    head = response.body[:MAX_READ]
    # Most pages have none, and parsing is slow.
    if media_type not in _HTML or not _REFRESH_HINT.search(head.lower()):
        return None
    reader = _Reader()
    # The parser raises on declarations that it does not know.
    with suppress(AssertionError):
        reader.feed(head.decode(errors="replace"))
    return reader.target and urljoin(reader.base, reader.target)


def parse_refresh(text: str) -> str | None:
    """Return the URL of a refresh without delay; None if it waits, or reloads the page itself."""
    value = _VALUE.fullmatch(text)
    if value is None or value["seconds"].strip("0"):
        return None
    url = _URL.fullmatch(value["rest"])
    if url is None:
        return None
    target = url["url"].partition(url["quote"])[0] if url["quote"] else url["url"]
    return target.strip() or None


class _Reader(HTMLParser):
    """Finds an effective refresh, outside of comments, templates and noscript."""

    def __init__(self) -> None:
        super().__init__()
        self.target: str | None = None
        self.base = ""
        self._inert = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _INERT:
            self._inert += 1
        elif not self._inert:
            self._handle({name: value or "" for name, value in reversed(attrs)}, tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _INERT and self._inert:
            self._inert -= 1

    def _handle(self, attributes: dict[str, str], tag: str) -> None:
        if tag == "base":
            self.base = self.base or attributes.get("href", "")
        elif tag == "meta" and attributes.get("http-equiv", "").strip().lower() == "refresh":
            self.target = self.target or parse_refresh(attributes.get("content", ""))
