"""The event bus: number events, keep recent ones, and deliver them to observers and watchers."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

from stringd.api.event_interfaces import (
    EVERYTHING,
    EventFilter,
    EventKind,
    EventSharing,
    Observer,
    Published,
    RecordedEvent,
)
from stringd.api.events import BASE_WEIGHT, CORE_KINDS, Event, Lost, Output
from stringd.events.event_weights import measured_weight, weight_of
from stringd.events.flood_limit import MOST_IN_A_SECOND, FloodLimit
from stringd.events.node_marks import Marks
from stringd.events.recent_events import RecentEvents
from stringd.events.recorded_events import made_of
from stringd.events.watch_outbox import Batch, Watch

log = logging.getLogger(__name__)

_LIFE_BYTES = 4
# Delivering events in batches costs the commands less than one at a time; the first event after a pause is
# delivered immediately.
_BATCH_SECONDS = 0.05
_MOST_IN_BATCH = 500
_FLOOD = f"more than {MOST_IN_A_SECOND:,} of them were published in a second"

_Source: TypeAlias = "tuple[str, str | None, str | None]"
"""What the limit per second applies to: a plugin's kind, or the output of a topic."""


class EventBus:
    """Publishes the events of one run of the daemon; implements `Events`, the interface for plugins."""

    def __init__(self) -> None:
        self.life = secrets.token_hex(_LIFE_BYTES)
        self._recent = RecentEvents()
        self._kinds = {it.kind: it for it in CORE_KINDS}
        self._declared: set[str] = set()
        self._limit = FloodLimit[_Source]()
        self._observers: dict[str, list[Observer]] = {}
        self._watches: set[Watch] = set()
        self._watched_kinds: Collection[str] = frozenset()
        self._batch: list[Published] = []
        self._handed_out = 0.0
        self._sharing: EventSharing | None = None
        self._marks = Marks()
        self.wants_output_of_others = False
        self._thread: int | None = None
        self._is_closed = False
        self._at_next: Callable[[], None] | None = None

    @property
    def kinds(self) -> Iterable[str]:
        """All kinds that may be published."""
        return self._kinds.keys()

    @property
    def known_kinds(self) -> Mapping[str, type[Event]]:
        """The kinds of events by name."""
        return self._kinds

    @property
    def last(self) -> int:
        """The number of the newest event."""
        return self._recent.last

    @property
    def is_watched(self) -> bool:
        """Whether any watcher or observer wants `Output`."""
        return self._is_wanted(Output.kind)

    def declare(self, kinds: Iterable[EventKind], observers: Iterable[Observer]) -> None:
        """Add the kinds and observers of plugins."""
        for declared in kinds:
            self._kinds[declared.name] = declared.event
            self._declared.add(declared.name)
        for observer in observers:
            for kind in observer.kinds:
                self._observers.setdefault(kind, []).append(observer)
        self._watched_kinds = self._all_watched_kinds()

    def publish(self, event: Event) -> None:
        """Number an event and deliver it to all watchers; see `Events.publish`."""
        self._check_thread()
        kind = event.kind
        if self._kinds.get(kind) is not type(event):
            raise TypeError(f"expected an event of a declared kind, got {event!r}")
        is_declared = kind in self._declared
        if is_declared or kind == Output.kind:
            source = (kind, None, None) if is_declared else (kind, event.user_id, event.topic)
            if not self._admits(source):
                return
        self._publish(event, measured_weight(event) if is_declared else weight_of(event))

    def publish_lazily(self, kind: type[Event], weight: int, /, **fields: Any) -> None:
        """Publish an event that is created when it is first needed; see `Events.publish_lazily`."""
        fields["at"] = time.time()
        if self._is_wanted(kind.kind):
            self.publish(kind(**fields))
        else:
            self._recent.append_unmade(kind, fields, BASE_WEIGHT + weight)
            if self._at_next:
                self._announce()

    @contextmanager
    def watch(self, wanted: EventFilter = EVERYTHING, *, after: int | None = None) -> Iterator[Watch]:
        """Watch new events, or all events after a number."""
        self._hand_out()
        if after is None:
            watch = Watch(wanted, self.last)
        else:
            watch = Watch(wanted, after if after <= self.last else 0, self._recent.after(after))
        if self._is_closed:
            watch.close()
        self._watches.add(watch)
        self._note_wanted()
        try:
            yield watch
        finally:
            self._watches.discard(watch)
            self._note_wanted()

    @contextmanager
    def observe(self, observer: Observer) -> Iterator[None]:
        """Have an observer notified within the context; see `Events.observe`."""
        for kind in observer.kinds:
            self._observers.setdefault(kind, []).append(observer)
        try:
            yield
        finally:
            for kind in observer.kinds:
                self._observers[kind].remove(observer)

    def position(self, watch: Watch) -> int:
        """Return the number of the newest event that a watch has read, queued or filtered out."""
        # Events that nobody wants are never handed out.
        self._hand_out()
        watch.pass_to(self.last)
        return watch.seen

    def close(self) -> None:
        """End all watches after the events that were published."""
        self._is_closed = True
        self._hand_out()
        for watch in self._watches:
            watch.close()

    def end_watches(self, user_id: str) -> None:
        """End the watches of a user's events; see `Events.end_watches`."""
        self._hand_out()
        for watch in self._watches:
            if watch.wanted.user_id == user_id:
                watch.close()

    @property
    def sharing(self) -> EventSharing | None:
        """What is known of the other nodes, if there are any."""
        return self._sharing

    def share(self, sharing: EventSharing) -> None:
        """Make this daemon one of several nodes; see `Events.share`."""
        self._sharing = sharing

    def publish_recorded(self, recorded: RecordedEvent, weight: int) -> None:
        """Deliver an event of another node; see `Events.publish_recorded`."""
        self._check_thread()
        make = partial(made_of, recorded, self._kinds)
        if self._watched_kinds:
            published = self._recent.append(make(), BASE_WEIGHT + weight, recorded.node)
            if published.event.kind in self._watched_kinds:
                self._add_to_batch(published)
        else:
            self._recent.append_unmade(make, {}, BASE_WEIGHT + weight, recorded.node)
        self.note_mark(recorded.mark)

    def note_mark(self, mark: int) -> None:
        """Note that everything recorded up to a mark has been published here."""
        self._marks.note(self.last, mark)

    def mark_at(self, seq: int) -> int:
        """Return the mark up to which everything was published as one of the events up to a number."""
        return self._marks.at(seq)

    def position_id(self, seq: int) -> str:
        """Return the id with which a watcher that has seen an event resumes, here or at another node."""
        return f"{self.life}-{seq}-{self.mark_at(seq)}" if self._sharing else f"{self.life}-{seq}"

    def kept(self, after: int) -> Iterator[Published]:
        """Return the kept events of this daemon after a number; see `Events.kept`."""
        return self._recent.after(after, is_own=True)

    def at_next(self, callback: Callable[[], None]) -> None:
        """Call back once, at the next event; see `Events.at_next`."""
        self._at_next = callback

    def _announce(self) -> None:
        callback, self._at_next = self._at_next, None
        try:
            if callback:
                callback()
        except BaseException:
            log.exception("what waited for the next event failed")

    def _publish(self, event: Event, weight: int) -> None:
        published = self._recent.append(event, weight)
        if self._at_next:
            self._announce()
        for observer in self._observers.get(event.kind, ()):
            _notify(observer, event)
        if event.kind in self._watched_kinds:
            self._add_to_batch(published)

    def _is_wanted(self, kind: str) -> bool:
        return kind in self._watched_kinds or kind in self._observers

    def _note_wanted(self) -> None:
        self._watched_kinds = self._all_watched_kinds()
        if self._sharing is None:
            return
        wants_output = any(map(_wants_output_of_others, self._watches))
        if wants_output != self.wants_output_of_others:
            self.wants_output_of_others = wants_output
            self._sharing.wanted()

    def _all_watched_kinds(self) -> Collection[str]:
        """Return the kinds that any watcher may want: those of its filter, and `Lost`."""
        if not self._watches:
            return frozenset()
        wanted = [it.wanted.kinds for it in self._watches]
        everything = self._kinds.keys()
        return frozenset({Lost.kind}.union(*(everything if it is None else it for it in wanted)))

    def _add_to_batch(self, published: Published) -> None:
        batch = self._batch
        batch.append(published)
        if len(batch) == 1:
            loop = asyncio.get_running_loop()
            loop.call_at(self._handed_out + _BATCH_SECONDS, self._hand_out_due, loop)
        elif len(batch) >= _MOST_IN_BATCH:
            self._hand_out()

    def _hand_out_due(self, loop: asyncio.AbstractEventLoop) -> None:
        self._handed_out = loop.time()
        self._hand_out()

    def _hand_out(self) -> None:
        events, self._batch = self._batch, []
        if events:
            batch = Batch(events)
            for watch in self._watches:
                watch.offer(batch)

    def _check_thread(self) -> None:
        thread = threading.get_ident()
        if self._thread is None:
            self._thread = thread
        elif thread != self._thread:
            raise RuntimeError("events are published on the thread of the event loop")

    def _admits(self, source: _Source) -> bool:
        limit, had_dropped = self._limit, self._limit.has_dropped
        if limit.admits(source, time.monotonic()):
            return True
        if not had_dropped:
            asyncio.get_running_loop().call_later(limit.seconds_left(), self._report_dropped)
        return False

    def _report_dropped(self) -> None:
        """Publish how many events were dropped in the last second."""
        for (kind, user_id, topic), count in self._limit.take_dropped().items():
            log.warning("%d events %s were dropped: %s", count, kind, _FLOOD)
            lost = Lost(user_id=user_id, topic=topic, count=count, reason=f"{kind}: {_FLOOD}")
            self._publish(lost, weight_of(lost))


def _wants_output_of_others(watch: Watch) -> bool:
    """Whether a watch wants the output of all nodes; all that a user does is on one node, the user's own."""
    wanted = watch.wanted
    return wanted.everywhere and wanted.user_id is None and (not wanted.kinds or Output.kind in wanted.kinds)


def _notify(observer: Observer, event: Event) -> None:
    try:
        observer.on_event(event)
    except BaseException:
        log.exception("observer %s failed", observer.name)
