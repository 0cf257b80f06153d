"""The load progress of a page, from DevTools events."""

from __future__ import annotations

import time

from stringd.plugin import ErrorCode, Refusal
from stringd_web.browser.devtools import Fields

# Such requests may never end, and a page's content does not depend on them.
_LONG_LIVED = frozenset({"EventSource", "Media", "Ping", "Prefetch"})


class LoadProgress:
    """Tracks load events and pending requests of a page."""

    def __init__(self, frame: str) -> None:
        self.parsed = False
        self.loaded = False
        self.status = 200
        self.reason = ""
        self._frame = frame
        self._crashed = False
        self._pending: set[str] = set()
        self._last_activity = time.monotonic()

    def check(self) -> None:
        """Raise if the page's process has crashed."""
        if self._crashed:
            raise Refusal(ErrorCode.LOAD_ERROR, "The page's process crashed or ran out of memory.")

    def network_idle_seconds(self) -> float:
        """Return the seconds since the last network activity; 0 while requests are pending."""
        return 0.0 if self._pending else time.monotonic() - self._last_activity

    def note_activity(self) -> None:
        """Count what was just done to the page as activity."""
        self._last_activity = time.monotonic()

    def handle_event(self, method: str, fields: Fields) -> None:
        """Process a DevTools event."""
        if method == "Inspector.targetCrashed":
            self._crashed = True
        elif method.startswith("Page."):
            self._handle_page_event(method, fields)
        elif "requestId" in fields:
            self._handle_network_event(method, fields)
            self._last_activity = time.monotonic()

    def _handle_page_event(self, method: str, fields: Fields) -> None:
        match method:
            case "Page.frameNavigated" if fields["frame"]["id"] == self._frame:
                self.parsed = self.loaded = False
                self._pending.clear()
            case "Page.domContentEventFired":
                self.parsed = True
            case "Page.frameStoppedLoading" if fields["frameId"] == self._frame:
                self.parsed = self.loaded = True

    def _handle_network_event(self, method: str, fields: Fields) -> None:
        match method:
            case "Network.requestWillBeSent" if fields.get("type") not in _LONG_LIVED:
                self._pending.add(fields["requestId"])
            case "Network.loadingFinished" | "Network.loadingFailed":
                self._pending.discard(fields["requestId"])
            case "Network.responseReceived" if fields["type"] == "Document":
                if fields.get("frameId") == self._frame:
                    self.status = fields["response"]["status"]
                    self.reason = fields["response"]["statusText"]
