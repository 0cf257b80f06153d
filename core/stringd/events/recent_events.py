"""The last events, for those who come back after they were disconnected."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from stringd.api.events import Lost, Published

MOST_EVENTS = 10_000
MOST_BYTES = 8 * 1024 * 1024
_GONE = "the daemon no longer keeps them"
_AHEAD = "the number is ahead of this daemon's"


class RecentEvents:
    """A bounded queue of events, in the order in which they were published."""

    def __init__(self) -> None:
        self._events: deque[Published] = deque()
        self._weight = 0

    def append(self, published: Published) -> None:
        """Add an event; the oldest ones make room for it."""
        events = self._events
        events.append(published)
        self._weight += published.event.weight
        while self._weight > MOST_BYTES or len(events) > MOST_EVENTS:
            self._weight -= events.popleft().event.weight

    def after(self, seq: int, last: int) -> Iterator[Published]:
        """Return the events after a number, `last` being the newest; first of all how many are gone."""
        first = last - len(self._events) + 1
        if seq > last:
            yield Published(None, Lost(count=None, reason=_AHEAD))
            seq = 0
        if seq + 1 < first:
            yield Published(None, Lost(count=first - seq - 1, reason=_GONE))
        yield from (it for it in self._events if it.seq is not None and it.seq > seq)
