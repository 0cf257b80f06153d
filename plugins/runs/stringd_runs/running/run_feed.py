"""The events of a run: numbered, encoded once, written to its history, and delivered to subscribers.

An event that reports something as done is delivered once that is on disk; later events wait for it. While
too much waits, pieces of text are left out: the whole text follows.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Sequence
from operator import attrgetter

from stringd_runs.histories.history_records import NumbersReserved, encode_record
from stringd_runs.histories.history_writer import HistoryWriter
from stringd_runs.messages.message_encoder import encode_event
from stringd_runs.messages.run_events import EncodedEvent, RunEvent, Subscriber
from stringd_runs.running.kept_events import KeptEvents

RESERVED = 1_000
MOST_PIECES = 2_000
MOST_EVENTS = 2_000
LARGEST_KEPT = 2 * 1024 * 1024
LARGEST_HELD = 4 * 1024 * 1024
"""How many bytes of events may wait for the disk before pieces of text are left out."""


class RunFeed:
    """The events of one run, over all of its executions."""

    def __init__(
        self, *, last_seq: int = 0, deliver_also: Callable[[EncodedEvent], None] | None = None
    ) -> None:
        """Make a feed; `deliver_also` is given all events, but does not count as a subscriber."""
        self._deliver_also = deliver_also
        self._seq = self._delivered = self._reserved = last_seq
        self._pieces = KeptEvents(MOST_PIECES, LARGEST_KEPT, last_seq)
        self._events = KeptEvents(MOST_EVENTS, LARGEST_KEPT, last_seq)
        self._held: deque[tuple[int, EncodedEvent]] = deque()
        self._held_size = 0
        self._unwritten = KeptEvents(MOST_EVENTS, LARGEST_KEPT, last_seq)
        self._subscribers: dict[Subscriber, int] = {}
        self._writer: HistoryWriter | None = None

    @property
    def last_seq(self) -> int:
        """The number of the latest event."""
        return self._seq

    @property
    def is_followed(self) -> bool:
        """Whether anybody has subscribed."""
        return bool(self._subscribers)

    @property
    def has_operator(self) -> bool:
        """Whether somebody has subscribed who may decide about permissions."""
        return any(it.is_operator for it in self._subscribers)

    def write_to(self, writer: HistoryWriter | None) -> None:
        """Write the events from now on to a history, after those that had none to be written to."""
        self._writer = writer
        if writer:
            for event in self._unwritten:
                writer.append(event.data)
            self._unwritten.clear(self._seq)

    def publish(self, event: RunEvent, request_id: str | None) -> None:
        """Number an event and deliver it, once what was to be on disk before it is there."""
        encoded = self.encode(event, request_id)
        writer = self._writer
        if writer and (self._held or not writer.has_kept(writer.promised)):
            self._hold(encoded, writer.promised)
        else:
            self.deliver(encoded)

    def _hold(self, event: EncodedEvent, promised: int) -> None:
        if event.is_piece and self._held_size > LARGEST_HELD:
            return
        self._held.append((promised, event))
        self._held_size += len(event.data)

    def encode(self, event: RunEvent, request_id: str | None) -> EncodedEvent:
        """Number and encode an event, and have it written to the history unless it is a piece."""
        encoded = encode_event(event, seq=self._seq + 1, request_id=request_id)
        self._seq = encoded.seq
        if self._writer is None:
            self._unwritten.append(encoded)
        elif encoded.is_piece:
            self._reserve_numbers(self._writer)
        else:
            self._writer.append(encoded.data)
        return encoded

    def _reserve_numbers(self, writer: HistoryWriter) -> None:
        """Note in the history which numbers pieces may have, well before they are used up."""
        if self._seq + RESERVED // 2 > self._reserved:
            self._reserved = self._seq + RESERVED
            writer.append(encode_record(NumbersReserved(until=self._reserved)))

    def release(self) -> None:
        """Deliver the events whose predecessors are on disk by now, or drop those that will never be."""
        writer = self._writer
        if writer is None:
            return
        if writer.failure is not None:
            self._held.clear()
            self._held_size = 0
            self._seq = self._delivered
            return
        while self._held and writer.has_kept(self._held[0][0]):
            _, event = self._held.popleft()
            self._held_size -= len(event.data)
            self.deliver(event)

    def deliver(self, event: EncodedEvent) -> None:
        """Give an event to all subscribers."""
        self._delivered = event.seq
        (self._pieces if event.is_piece else self._events).append(event)
        for subscriber in tuple(self._subscribers):
            subscriber.deliver(event)
        if self._deliver_also:
            self._deliver_also(event)

    def missing(self, after_seq: int) -> tuple[int, int] | None:
        """Return after and up to which number events are only in the store; None if there are none."""
        first = self._events.first_kept
        return (after_seq, first - 1) if after_seq + 1 < first else None

    def subscribe(
        self, subscriber: Subscriber, after_seq: int | None = None, stored: Sequence[EncodedEvent] = ()
    ) -> None:
        """Deliver each event from now on, preceded by those after a number that it has not been given."""
        since = self._subscribers.setdefault(subscriber, self._delivered)
        if after_seq is None or after_seq >= since:
            return
        self._subscribers[subscriber] = after_seq
        for event in heapq.merge(stored, self._pieces, self._events, key=attrgetter("seq")):
            if after_seq < event.seq <= since:
                subscriber.deliver(event)

    def has(self, subscriber: Subscriber) -> bool:
        """Whether somebody has subscribed."""
        return subscriber in self._subscribers

    def note_given(self, subscriber: Subscriber, after_seq: int) -> None:
        """Note that a subscriber has been given the events after a number before it subscribed."""
        self._subscribers[subscriber] = min(after_seq, self._subscribers[subscriber])

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Deliver nothing more to a subscriber."""
        self._subscribers.pop(subscriber, None)

    def deliver_last(self, event: EncodedEvent) -> None:
        """Deliver the last event of an execution, and keep none in memory: they are in the history."""
        self.deliver(event)
        self._pieces.clear(self._seq)
        self._events.clear(self._seq)
        self._unwritten.clear(self._seq)
