"""The most recent events, for watchers that reconnect."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias

from stringd.api.event_interfaces import Published
from stringd.api.events import Event, Lost

MOST_EVENTS = 10_000
MOST_BYTES = 8 * 1024 * 1024
_GONE = "the daemon no longer keeps them"
_AHEAD = "the number is ahead of the daemon's latest event"


# The weight, and the event or what creates it of its fields. A plain tuple is the fastest to create.
_Kept: TypeAlias = "tuple[int, Event | None, Callable[..., Event], Mapping[str, Any]]"
_NOTHING: Mapping[str, Any] = {}


class RecentEvents:
    """A bounded queue of events in the order of publication; it numbers them."""

    def __init__(self) -> None:
        self._kept: deque[_Kept] = deque()
        self._weight = 0
        self._nodes: dict[int, str] = {}
        self.last = 0
        """The number of the newest event."""

    def append(self, event: Event, weight: int, node: str | None = None) -> Published:
        """Add an event, of another node if one is named, and drop the oldest ones to make room for it."""
        self.last += 1
        self._kept.append((weight, event, type(event), _NOTHING))
        self._weight += weight
        self._drop_oldest()
        if node:
            self._name_node(node)
        return Published(self.last, event, weight, node)

    def append_unmade(
        self, make: Callable[..., Event], fields: Mapping[str, Any], weight: int, node: str | None = None
    ) -> None:
        """Add an event that is created of its fields when it is first read."""
        # Inlined, since every command pays for it.
        self.last += 1
        self._kept.append((weight, None, make, fields))
        self._weight += weight
        while self._weight > MOST_BYTES or len(self._kept) > MOST_EVENTS:
            self._weight -= self._kept.popleft()[0]
        if node:
            self._name_node(node)

    def after(self, seq: int, *, is_own: bool = False) -> Iterator[Published]:
        """Iterate over the events after a number, including those that are added meanwhile.

        A `Lost` with their number replaces dropped events. For a number ahead of the last, return all events.
        With `is_own`, leave out those of other nodes.
        """
        if seq > self.last:
            return chain([Published(None, Lost(count=None, reason=_AHEAD))], self._after(0, is_own))
        return self._after(seq, is_own)

    def _after(self, seq: int, is_own: bool) -> Iterator[Published]:
        while seq < self.last:
            first = self.last - len(self._kept) + 1
            if seq + 1 < first:
                yield Published(None, Lost(count=first - seq - 1, reason=_GONE))
                seq = first - 1
            else:
                seq += 1
                if not (is_own and seq in self._nodes):
                    yield self._published(seq, seq - first)

    def _name_node(self, node: str) -> None:
        self._nodes[self.last] = node
        # None may be left: an event of more than all bytes is not kept itself.
        while (first := next(iter(self._nodes), self.last + 1)) <= self.last - len(self._kept):
            del self._nodes[first]

    def _drop_oldest(self) -> None:
        while self._weight > MOST_BYTES or len(self._kept) > MOST_EVENTS:
            self._weight -= self._kept.popleft()[0]

    def _published(self, seq: int, place: int) -> Published:
        weight, event, make, fields = self._kept[place]
        if event is None:
            event = make(**fields)
            self._kept[place] = (weight, event, type(event), _NOTHING)
        return Published(seq, event, weight, self._nodes.get(seq))
