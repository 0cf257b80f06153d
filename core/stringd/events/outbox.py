"""One who watches events, with a bounded outbox of its own."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence

from stringd.api.events import Lost, Output
from stringd.api.watching import EventFilter, Published

MOST_EVENTS = 5000
MOST_BYTES = 1024 * 1024
_SLOW = "they were read too slowly"
_CLOSED = "events were read too slowly, and no more are sent"


class Watch:
    """An asynchronous iterator over events.

    First come those that were missed, as long as the daemon keeps them, then new ones by an outbox. When
    that is full, it loses the `Output` in it, and takes no more until half of it was read. When that makes
    no room, it is closed: the iteration ends after what is in the outbox.
    """

    def __init__(self, wanted: EventFilter, seen: int, missed: Iterator[Published] | None = None) -> None:
        self.seen = seen
        """The number of the newest event that is not still to come."""
        self._wanted = wanted
        self._missed = missed
        self._outbox: deque[Published] = deque()
        self._weight = 0
        self._is_slow = False
        self._arrived = asyncio.Event()
        self.is_closed = False

    def offer(self, batch: Sequence[Published]) -> None:
        """Take in those of the newest events that are wanted."""
        # What is still to be read of the events that were missed ends with the newest ones.
        if self.is_closed or self._missed:
            return
        wanted, seen = self._wanted, self.seen
        taken = [it for it in batch if (it.seq or 0) > seen and wanted.accepts(it.event)]
        self.seen = max(seen, batch[-1].seq or 0)
        if taken:
            self._take(taken)
            self._arrived.set()

    def close(self) -> None:
        """End the iteration after what is in the outbox."""
        self.is_closed = True
        self._arrived.set()

    def __aiter__(self) -> Watch:
        return self

    async def __anext__(self) -> Published:
        while (published := self.next_ready()) is None:
            if self.is_closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        return published

    async def wait(self, seconds: float) -> bool:
        """Wait until an event may be there, or the end; false if that takes too long."""
        if not (self._missed or self._outbox or self.is_closed):
            self._arrived.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._arrived.wait()
            except TimeoutError:
                return False
        return True

    def next_ready(self) -> Published | None:
        """Return the next event; None if there is none at this moment."""
        if self._missed:
            for published in self._missed:
                self.seen = published.seq or self.seen
                if self._wanted.accepts(published.event):
                    return published
            self._missed = None
        if not self._outbox:
            return None
        published = self._outbox.popleft()
        self._weight -= published.weight
        if self._is_slow:
            self._is_slow = not self._is_half_empty()
        return published

    def _take(self, batch: Sequence[Published]) -> None:
        for published in batch:
            if self._is_slow and isinstance(published.event, Output):
                self._lose_one()
            else:
                self._add(published)
        if self._is_full():
            if not self._is_slow:
                self._is_slow = True
                self._drop_output()
            if self._is_full():
                self._add(Published(None, Lost(count=None, reason=_CLOSED)))
                self.is_closed = True

    def _add(self, published: Published) -> None:
        self._outbox.append(published)
        self._weight += published.weight

    def _is_full(self) -> bool:
        return len(self._outbox) > MOST_EVENTS or self._weight > MOST_BYTES

    def _is_half_empty(self) -> bool:
        return len(self._outbox) <= MOST_EVENTS // 2 and self._weight <= MOST_BYTES // 2

    def _lose_one(self) -> None:
        last = self._outbox[-1].event if self._outbox else None
        if isinstance(last, Lost) and self._outbox[-1].seq is None:
            self._weight -= self._outbox.pop().weight
            self._add(_lost((last.count or 0) + 1))
        else:
            self._add(_lost(1))

    def _drop_output(self) -> None:
        """Replace all output in the outbox by the number of its events, where the first of it was."""
        kept: list[Published] = []
        lost = place = 0
        for published in self._outbox:
            event = published.event
            if isinstance(event, Output) or (isinstance(event, Lost) and published.seq is None):
                place = place if lost else len(kept)
                lost += event.count or 0 if isinstance(event, Lost) else 1
            else:
                kept.append(published)
        if lost:
            kept.insert(place, _lost(lost))
        self._outbox = deque(kept)
        self._weight = sum(it.weight for it in kept)


def _lost(count: int) -> Published:
    return Published(None, Lost(count=count, reason=_SLOW))
