"""Positions in streams of events, from which clients resume: here, or where another node has left off."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from msgspec import Struct
from msgspec.structs import asdict

from stringd.api.event_interfaces import EventFilter, ForeignPosition, MissedEvents, Published
from stringd.api.events import BASE_WEIGHT, Lost
from stringd.errors import InvalidRequest
from stringd.events.bus import EventBus
from stringd.events.recorded_events import made_of
from stringd.text.sse import encode_sse
from stringd.text.wire_json import encode_event

_POSITION = re.compile(r"(?:(?P<life>[0-9a-f]{1,16})-)?(?P<seq>[0-9]{1,15})(?:-(?P<mark>[0-9]{1,18}))?")
_OTHER_LIFE = "the daemon has been restarted"
_GONE = "the cluster no longer keeps them"


class Resumed(Struct, frozen=True, kw_only=True):
    """Where a stream goes on: after an event of this daemon, or after what it has `missed` elsewhere."""

    wanted: EventFilter
    after: int | None = None
    lost: Lost | None = None
    missed: MissedEvents | None = None
    position: ForeignPosition | None = None

    @property
    def beginning(self) -> bytes:
        """The first block of a stream that goes on from elsewhere: the position where it does."""
        if self.position is None:
            return b""
        return b": watching\nid: %b\n\n" % _id(self.position, self.position.mark).encode()


class _Continued(EventFilter, frozen=True, kw_only=True):
    """A filter that leaves out what a watcher was sent as missed."""

    events: EventBus
    mark: int
    own: int

    def takes(self, published: Published) -> bool:
        seq = published.seq
        if seq and (self.events.mark_at(seq) <= self.mark if published.node else seq <= self.own):
            return False
        return EventFilter.takes(self, published)


async def resumed(events: EventBus, wanted: EventFilter, name: str, position: str) -> Resumed:
    """Return where the stream goes on after a position, which a parameter or header with a name has."""
    found = _POSITION.fullmatch(position.strip())
    if not found:
        raise InvalidRequest(f"Invalid {name}: {position} — expected a number, or an event's id")
    if found["life"] in {None, events.life}:
        return Resumed(wanted=wanted, after=int(found["seq"]))
    if found["mark"] and events.sharing:
        foreign = ForeignPosition(life=found["life"], seq=int(found["seq"]), mark=int(found["mark"]))
        try:
            return _continued(events, wanted, foreign, await events.sharing.missed(foreign))
        except LookupError:
            pass
    return Resumed(wanted=wanted, after=0, lost=Lost(count=None, reason=_OTHER_LIFE))


def _continued(
    events: EventBus, wanted: EventFilter, position: ForeignPosition, missed: MissedEvents
) -> Resumed:
    values = asdict(wanted)
    return Resumed(
        wanted=_Continued(**values, events=events, mark=missed.mark, own=missed.own),
        after=missed.after,
        lost=Lost(count=None, reason=_GONE) if missed.has_lost else None,
        missed=missed,
        position=position,
    )


async def missed_events(events: EventBus, resumed: Resumed, wanted: EventFilter) -> AsyncIterator[bytes]:
    """Encode what a stream has missed elsewhere; its ids can be resumed from at any node."""
    position = resumed.position
    if resumed.missed is None or position is None:
        return
    kinds = events.known_kinds
    async for recorded in resumed.missed.events:
        event = made_of(recorded, kinds)
        if wanted.takes(Published(None, event, BASE_WEIGHT, recorded.node)):
            encoded = encode_event(recorded.mark, event, recorded.node)
            yield encode_sse(event.kind, encoded, _id(position, recorded.mark))


def _id(position: ForeignPosition, mark: int) -> str:
    """Return the id of what follows a position, which can be resumed from at any node."""
    return f"{position.life}-{position.seq}-{mark}"
