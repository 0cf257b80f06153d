"""A watcher of events, with a bounded outbox of its own."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

from stringd.api.event_interfaces import EventFilter, Published
from stringd.api.events import Lost, Output

MOST_EVENTS = 5000
MOST_BYTES = 1024 * 1024
_AT_ONCE = 64
_ALL = EventFilter(everywhere=True)
_SLOW = "they were read too slowly"
_CLOSED = "events were read too slowly, and no more are sent"


class Batch:
    """Events that are delivered together, mostly the same ones to many watchers."""

    __slots__ = ("encoded", "events", "last", "weight")

    def __init__(self, events: Iterable[Published]) -> None:
        self.events = tuple(events)
        self.weight = sum(it.weight for it in self.events)
        self.last = next((it.seq for it in reversed(self.events) if it.seq), 0)
        self.encoded: bytes | None = None
        """The events as they are sent, once they have been encoded."""

    def chosen(self, wanted: EventFilter, seen: int) -> Batch:
        """Return the events that are wanted and newer than `seen`."""
        return Batch(it for it in self.events if (it.seq or 0) > seen and wanted.takes(it))


class Watch:
    """An asynchronous iterator over events.

    It first yields missed events, as far as the daemon has kept them, then new ones from an outbox. When the
    outbox is full, `Output` is removed from it, and no more is added until half of it was read. If it is
    still full, the watch is closed: the iteration ends after the events in the outbox.
    """

    def __init__(self, wanted: EventFilter, seen: int, missed: Iterator[Published] | None = None) -> None:
        self.seen = seen
        """The number of the newest event that was read, queued or filtered out."""
        self.wanted = wanted
        self._wants_all = wanted == _ALL
        self._missed = missed
        self._outbox: deque[Batch] = deque()
        self._reading: deque[Published] = deque()
        self._count = self._weight = 0
        self._is_slow = False
        self._arrived = asyncio.Event()
        self._closed = asyncio.Event()
        self.is_closed = False

    def offer(self, batch: Batch) -> None:
        """Queue the new events that are wanted."""
        # The missed events that are still to be read include the new ones.
        if self.is_closed or self._missed:
            return
        if not self._wants_all or batch.events[0].seq != self.seen + 1:
            taken = batch.chosen(self.wanted, self.seen)
        else:
            taken = batch
        self.seen = max(self.seen, batch.last)
        if taken.events:
            self._take(taken)
            self._arrived.set()

    def pass_to(self, seq: int) -> None:
        """Note that all events up to a number were offered, or are not wanted."""
        if not (self.is_closed or self._missed):
            self.seen = max(self.seen, seq)

    def close(self) -> None:
        """End the iteration after the events in the outbox."""
        self.is_closed = True
        self._arrived.set()
        self._closed.set()

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
        """Wait until an event is available or the watch is closed; return false after a timeout."""
        if not (self._missed or self._outbox or self.is_closed):
            self._arrived.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._arrived.wait()
            except TimeoutError:
                return False
        return True

    async def pause(self, seconds: float) -> None:
        """Wait for more events, but not after the watch is closed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._closed.wait()

    def next_ready(self) -> Published | None:
        """Return the next event, or None if there is none yet."""
        if not self._reading and (batch := self.next_batch()):
            self._reading.extend(batch.events)
        return self._reading.popleft() if self._reading else None

    def next_batch(self) -> Batch | None:
        """Return the next events, or None if there are none yet."""
        if self._missed and (batch := self._next_missed(self._missed)).events:
            return batch
        if not self._outbox:
            return None
        batch = self._outbox.popleft()
        self._count -= len(batch.events)
        self._weight -= batch.weight
        if self._is_slow:
            self._is_slow = not self._is_half_empty()
        return batch

    def _next_missed(self, missed: Iterator[Published]) -> Batch:
        batch = Batch(islice(self._wanted_of(missed), _AT_ONCE))
        if len(batch.events) < _AT_ONCE:
            # From now on, new events go through the outbox.
            self._missed = None
        return batch

    def _wanted_of(self, missed: Iterator[Published]) -> Iterator[Published]:
        for published in missed:
            self.seen = published.seq or self.seen
            if self.wanted.takes(published):
                yield published

    def _take(self, batch: Batch) -> None:
        self._add(without_output(batch) if self._is_slow else batch)
        if self._is_full():
            if not self._is_slow:
                self._is_slow = True
                self._drop_output()
            if self._is_full():
                # Not merged with reports of lost output, which have another reason.
                self._append(Batch([Published(None, Lost(count=None, reason=_CLOSED))]))
                self.close()

    def _add(self, batch: Batch) -> None:
        if batch.last == 0 and self._outbox and self._outbox[-1].last == 0:
            # Merge consecutive reports of lost output.
            batch = without_output(Batch([*self._outbox.pop().events, *batch.events]))
            self._outbox.append(batch)
        else:
            self._append(batch)

    def _append(self, batch: Batch) -> None:
        self._outbox.append(batch)
        self._count += len(batch.events)
        self._weight += batch.weight

    def _is_full(self) -> bool:
        return self._count > MOST_EVENTS or self._weight > MOST_BYTES

    def _is_half_empty(self) -> bool:
        return self._count <= MOST_EVENTS // 2 and self._weight <= MOST_BYTES // 2

    def _drop_output(self) -> None:
        rest = without_output(Batch(it for batch in self._outbox for it in batch.events))
        # In small batches, since a batch is sent as a whole.
        starts = range(0, len(rest.events), _AT_ONCE)
        self._outbox = deque(Batch(rest.events[it : it + _AT_ONCE]) for it in starts)
        self._count, self._weight = len(rest.events), rest.weight


def without_output(batch: Batch) -> Batch:
    """Replace all output by one `Lost` with the number of its events, in the place of the first one."""
    kept: list[Published] = []
    lost = place = 0
    for published in batch.events:
        event = published.event
        if isinstance(event, Output) or (isinstance(event, Lost) and published.seq is None):
            place = place if lost else len(kept)
            lost += event.count or 0 if isinstance(event, Lost) else 1
        else:
            kept.append(published)
    if lost:
        kept.insert(place, Published(None, Lost(count=lost, reason=_SLOW)))
    return Batch(kept)
