"""How far a page has come, as the browser tells it."""

from __future__ import annotations

import time

from stringd.plugin import Refusal
from stringd_web.browser.devtools import Fields

# These go on for as long as a page likes, and what a page shows does not wait for them.
_ENDLESS = frozenset({"EventSource", "Media", "Ping", "Prefetch"})


class Progress:
    """Follows what a page has loaded and what it still waits for."""

    def __init__(self, frame: str) -> None:
        self.parsed = False
        self.loaded = False
        self.status = 200
        self.reason = ""
        self._frame = frame
        self._crashed = False
        self._awaited: set[str] = set()
        self._stirred = time.monotonic()

    def check(self) -> None:
        """Refuse to go on with a page whose process has ended."""
        if self._crashed:
            raise Refusal("LOAD_ERROR", "The page's process has ended: it took too much memory, or crashed.")

    def silence(self) -> float:
        """Return for how many seconds the page has not asked the network for anything nor waited for it."""
        return 0.0 if self._awaited else time.monotonic() - self._stirred

    def hear(self, method: str, fields: Fields) -> None:
        """Take in an event."""
        if method == "Inspector.targetCrashed":
            self._crashed = True
        elif method.startswith("Page."):
            self._hear_page(method, fields)
        elif "requestId" in fields:
            self._hear_network(method, fields)
            self._stirred = time.monotonic()

    def _hear_page(self, method: str, fields: Fields) -> None:
        match method:
            case "Page.frameNavigated" if fields["frame"]["id"] == self._frame:
                self.parsed = self.loaded = False
                self._awaited.clear()
            case "Page.domContentEventFired":
                self.parsed = True
            case "Page.frameStoppedLoading" if fields["frameId"] == self._frame:
                self.parsed = self.loaded = True

    def _hear_network(self, method: str, fields: Fields) -> None:
        match method:
            case "Network.requestWillBeSent" if fields.get("type") not in _ENDLESS:
                self._awaited.add(fields["requestId"])
            case "Network.loadingFinished" | "Network.loadingFailed":
                self._awaited.discard(fields["requestId"])
            case "Network.responseReceived" if fields["type"] == "Document":
                if fields.get("frameId") == self._frame:
                    self.status = fields["response"]["status"]
                    self.reason = fields["response"]["statusText"]
