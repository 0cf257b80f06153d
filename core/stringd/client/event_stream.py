"""The stream of `GET /events`, parsed into records; see docs/reference/events.md."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from stringd.client.records import Event, JsonObject
from stringd.text.sse import SseEvent, SseParser

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0
_COMMON = ("kind", "seq", "at", "user_id", "topic", "request_id")


class EventStream:
    """Parses consecutive streams, and keeps the position from which to resume."""

    def __init__(self) -> None:
        self.position = ""
        """The position to send as `Last-Event-ID`; empty until an event has arrived."""
        self.has_begun = False
        """Whether anything has ever arrived, so that what fails later may be a matter of time."""
        self._parser = SseParser()
        self._pause = _FIRST_PAUSE

    def begin(self) -> None:
        """Start parsing a new stream."""
        self._parser = SseParser()

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Parse the next bytes; yield the events that they complete."""
        self.has_begun = True
        self._pause = _FIRST_PAUSE
        for event in self._parser.feed(chunk):
            if record := _record(event):
                self.position = event.id or self.position
                yield record
        self.position = self._parser.last_id or self.position

    def next_pause(self) -> float:
        """Return the seconds until the next attempt, which grow while nothing arrives."""
        pause, self._pause = self._pause, min(self._pause * 2, _LONGEST_PAUSE)
        return pause


def _record(event: SseEvent) -> Event | None:
    try:
        record = json.loads(event.data)
        common = {name: record.pop(name) for name in _COMMON}
    except (ValueError, KeyError, AttributeError, RecursionError):
        return None
    return _made(common, record, event.id)


def _made(common: JsonObject, own: JsonObject, position: str) -> Event:
    return Event(**common, fields=own, position=position)
