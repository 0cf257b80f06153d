"""The changes of a page, as its script receives them."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any, Self
from urllib.parse import urlencode

from stringd.text.sse import SseParser
from tests.console.signing_in import SignedIn
from tests.questions.people import until


class LiveStream:
    """Follows a page without a browser; `regions` are what its script would show, lists by their keys."""

    def __init__(self, browser: SignedIn, page: str, **query: str) -> None:
        self.browser = browser
        self._query = urlencode({**query, "path": f"/console/{page}"})
        self.regions: dict[str, Any] = {}
        self.patches = 0

    def __enter__(self) -> Self:
        self._connection = http.client.HTTPConnection("127.0.0.1", self.browser.daemon.port, timeout=20)
        self._connection.request("GET", f"/console/live?{self._query}", headers=self.browser.headers)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        until(lambda: self.regions, "the page never came")
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection.sock:
            self._connection.sock.shutdown(2)
        self._reader.join(5)
        self._connection.close()

    def html(self, region: str) -> str:
        """Return the HTML of a region."""
        shown = self.regions.get(region, "")
        return "".join(shown.values()) if isinstance(shown, dict) else str(shown)

    def wait(self, text: str, region: str = "questions") -> str:
        """Wait until a region has a text, and return the region."""
        until(lambda: text in self.html(region), f"{text} never came")
        return self.html(region)

    def _read(self) -> None:
        parser = SseParser()
        try:
            answer = self._connection.getresponse()
            while chunk := answer.read1(65536):
                for event in parser.feed(chunk):
                    self._apply(json.loads(event.data))
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            return

    def _apply(self, patch: dict[str, Any]) -> None:
        self.patches += 1
        for name, change in patch.items():
            if isinstance(change, str):
                self.regions[name] = change
                continue
            known = {**self.regions.get(name, {}), **change["items"]}
            self.regions[name] = {key: known[key] for key in change.get("order", known)}
