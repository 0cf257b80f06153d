"""One who watches events, with a bounded outbox of its own."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable

from stringd.api.events import EventFilter, Lost, Output, Published

MOST_EVENTS = 2000
MOST_BYTES = 2 * 1024 * 1024
_SLOW = "they were read too slowly"


class Watch:
    """An asynchronous iterator over events.

    When its outbox is full, it loses the `Output` in it; if that makes no room, it is closed: the
    iteration ends after what is in the outbox.
    """

    def __init__(self, wanted: EventFilter, missed: Iterable[Published] = ()) -> None:
        self._wanted = wanted
        # What was missed is bounded by what the daemon keeps, and is not counted.
        self._missed = deque(it for it in missed if wanted.accepts(it.event))
        self._outbox: deque[Published] = deque()
        self._weight = 0
        self._arrived = asyncio.Event()
        self._closed = False

    def offer(self, published: Published) -> None:
        """Take an event into the outbox, if it is wanted."""
        if self._closed or not self._wanted.accepts(published.event):
            return
        self._add(published)
        if self._is_full():
            self._drop_output()
            self._closed = self._is_full()
        self._arrived.set()

    def __aiter__(self) -> Watch:
        return self

    async def __anext__(self) -> Published:
        while not (self._missed or self._outbox):
            if self._closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        if self._missed:
            return self._missed.popleft()
        published = self._outbox.popleft()
        self._weight -= published.event.weight
        return published

    def _add(self, published: Published) -> None:
        self._outbox.append(published)
        self._weight += published.event.weight

    def _is_full(self) -> bool:
        return len(self._outbox) > MOST_EVENTS or self._weight > MOST_BYTES

    def _drop_output(self) -> None:
        """Replace all output in the outbox by the number of its events, where the first of it was."""
        kept: list[Published] = []
        lost = 0
        place = 0
        for published in self._outbox:
            event = published.event
            if isinstance(event, Output) or (isinstance(event, Lost) and published.seq is None):
                place = place if lost else len(kept)
                lost += event.count or 0 if isinstance(event, Lost) else 1
            else:
                kept.append(published)
        if lost:
            kept.insert(place, Published(None, Lost(count=lost, reason=_SLOW)))
        self._outbox = deque(kept)
        self._weight = sum(it.event.weight for it in kept)
