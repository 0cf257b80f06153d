"""The event stream of a page, as its script follows it."""

from __future__ import annotations

import http.client
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from typing import Any
from urllib.parse import quote

from tests.console.signing_in import SignedIn

SECONDS = 10.0
_TAG = re.compile(r"<[^>]*>")


class Followed:
    """The regions of a page: their HTML, or the HTML of each of their items by key."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        self.regions: dict[str, Any] = {}
        self.patches = 0
        self.bytes = 0

    def wait(self, until: Callable[[Followed], bool], seconds: float = SECONDS) -> Followed:
        """Apply patches until the page is as expected."""
        end = time.monotonic() + seconds
        while not until(self):
            assert time.monotonic() < end, self.screen
            self.apply_next()
        return self

    def wait_screen(self, text: str, seconds: float = SECONDS) -> str:
        """Return the rows of the screen once they contain a text."""
        self.wait(lambda it: text in it.screen, seconds)
        return self.screen

    def apply_next(self) -> None:
        """Wait for something from the daemon, and apply it if it is a patch."""
        line = self._response.readline()
        assert line, "the stream has ended"
        self.bytes += len(line)
        if line.startswith(b"data: "):
            self.patches += 1
            for name, change in json.loads(line[6:]).items():
                self._apply(name, change)

    @property
    def screen(self) -> str:
        """The text of the rows of the screen."""
        rows = self.regions.get("screen-rows", {})
        return "\n".join(text_of(html).rstrip() for html in rows.values())

    def text(self, region: str) -> str:
        """The text of a region."""
        return " ".join(text_of(self.regions.get(region, "")).split())

    def _apply(self, name: str, change: Any) -> None:
        if isinstance(change, str):
            self.regions[name] = change
            return
        known = {**self.regions.get(name, {}), **change["items"]}
        self.regions[name] = {key: known[key] for key in change.get("order", known)}


def text_of(html: str) -> str:
    """Return the text of HTML."""
    return unescape(_TAG.sub("", html))


@contextmanager
def following(browser: SignedIn, path: str) -> Iterator[Followed]:
    """Follow a page."""
    connection = http.client.HTTPConnection("127.0.0.1", browser.daemon.port, timeout=SECONDS)
    try:
        connection.request("GET", f"/console/live?path=/console/{quote(path)}", headers=browser.headers)
        response = connection.getresponse()
        assert response.status == 200, response.read()
        yield Followed(response)
    finally:
        connection.close()
