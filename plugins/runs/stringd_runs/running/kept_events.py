"""A bounded number of the latest events of a run, for subscribers that come back."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from stringd_runs.messages.run_events import EncodedEvent


class KeptEvents:
    """The latest events, oldest first; the oldest ones are dropped beyond a number or a size in bytes."""

    def __init__(self, most: int, largest: int, last_seq: int) -> None:
        self._most = most
        self._largest = largest
        self._events: deque[EncodedEvent] = deque()
        self._size = 0
        self.first_kept = last_seq + 1
        """No event with this number or a later one was dropped."""

    def __iter__(self) -> Iterator[EncodedEvent]:
        return iter(self._events)

    def append(self, event: EncodedEvent) -> None:
        """Keep an event, and drop the oldest ones if there are too many."""
        self._events.append(event)
        self._size += len(event.data)
        while len(self._events) > self._most or self._size > self._largest:
            dropped = self._events.popleft()
            self._size -= len(dropped.data)
            self.first_kept = dropped.seq + 1

    def clear(self, last_seq: int) -> None:
        """Drop all events until a number."""
        self._events.clear()
        self._size = 0
        self.first_kept = last_seq + 1
