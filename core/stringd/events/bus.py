"""Where events are published: they are numbered, kept, and handed to observers and watchers."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from stringd.api.events import (
    CORE_KINDS,
    EVERYTHING,
    Event,
    EventFilter,
    EventKind,
    Lost,
    Observer,
    Output,
    Published,
)
from stringd.events.flood_limit import FloodLimit
from stringd.events.recent_events import RecentEvents
from stringd.events.watch import Watch

log = logging.getLogger(__name__)

_LIFE_BYTES = 4
_FLOOD = "more events of this kind in a second than are kept"


class EventBus:
    """Publishes the events of one life of the daemon; it implements the `Events` that plugins see."""

    def __init__(self) -> None:
        self.life = secrets.token_hex(_LIFE_BYTES)
        self._seq = 0
        self._recent = RecentEvents()
        self._kinds = {it.kind: it for it in CORE_KINDS}
        self._limits: dict[str, FloodLimit] = {}
        self._observers: dict[str, list[Observer]] = {}
        self._watches: set[Watch] = set()

    @property
    def kinds(self) -> Iterable[str]:
        """All kinds that may be published."""
        return self._kinds.keys()

    @property
    def is_watched(self) -> bool:
        """Whether anybody watches."""
        return bool(self._watches) or Output.kind in self._observers

    def declare(self, kinds: Iterable[EventKind], observers: Iterable[Observer]) -> None:
        """Take in what plugins add."""
        for declared in kinds:
            self._kinds[declared.name] = declared.event
            self._limits[declared.name] = FloodLimit()
        for observer in observers:
            for kind in observer.kinds:
                self._observers.setdefault(kind, []).append(observer)

    def publish(self, event: Event) -> None:
        """Number an event and hand it to all who watch; this never waits."""
        kind = event.kind
        if self._kinds.get(kind) is not type(event):
            raise TypeError(f"expected an event of a declared kind, got {event!r}")
        if kind in self._limits and not self._limits[kind].admits(time.monotonic()):
            self._announce_flood(event)
            return
        self._publish(event)

    @contextmanager
    def watch(self, wanted: EventFilter = EVERYTHING, *, after: int | None = None) -> Iterator[Watch]:
        """Watch events: from now on, or from the one after a number."""
        missed = () if after is None else self._recent.after(after, self._seq)
        watch = Watch(wanted, missed)
        self._watches.add(watch)
        try:
            yield watch
        finally:
            self._watches.discard(watch)

    def _publish(self, event: Event) -> None:
        self._seq += 1
        published = Published(self._seq, event)
        self._recent.append(published)
        for observer in self._observers.get(event.kind, ()):
            _notify(observer, event)
        for watch in self._watches:
            watch.offer(published)

    def _announce_flood(self, event: Event) -> None:
        """Publish how many events of a kind were dropped, once the second is over in which they were."""
        limit = self._limits[event.kind]
        if limit.dropped == 1:
            asyncio.get_running_loop().call_later(limit.seconds_left(), self._end_flood, limit, event)

    def _end_flood(self, limit: FloodLimit, event: Event) -> None:
        count = limit.take_dropped()
        lost = Lost(user_id=event.user_id, topic=event.topic, count=count, reason=f"{event.kind}: {_FLOOD}")
        self._publish(lost)


def _notify(observer: Observer, event: Event) -> None:
    try:
        observer.on_event(event)
    except BaseException:
        log.exception("observer %s failed", observer.name)
