"""The interfaces to events: filters, watchers, observers, and the publisher."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import fields
from typing import Any, NamedTuple, Protocol

from stringd.api.checks import check_optional_text, check_order, check_sync, check_word
from stringd.api.events import BASE_WEIGHT, CommandEnded, Event, Lost
from stringd.frozen_record import FrozenRecord


class Published(NamedTuple):
    """A published event with its number in this run of the daemon, and its size in bytes.

    A `Lost` that only concerns one watcher has no number. `node` names the other node that an event comes
    from, in a cluster.
    """

    seq: int | None
    event: Event
    weight: int = BASE_WEIGHT
    node: str | None = None


class EventFilter(FrozenRecord, frozen=True, kw_only=True):
    """A filter of events by user, topic, request and kind; None accepts all.

    Events of other nodes of a cluster only pass if those of all nodes are wanted, `everywhere`: whoever shows
    events may want them, whoever acts on events should not.
    """

    user_id: str | None = None
    topic: str | None = None
    request_id: str | None = None
    kinds: Collection[str] | None = None
    everywhere: bool = False

    def takes(self, published: Published) -> bool:
        """Return whether a published event passes."""
        return (self.everywhere or published.node is None) and self.accepts(published.event)

    def accepts(self, event: Event) -> bool:
        """Return whether an event passes; `Lost` does, unless it concerns another user or topic."""
        if event.kind == Lost.kind:
            return not (_differ(self.user_id, event.user_id) or _differ(self.topic, event.topic))
        return (
            (self.kinds is None or event.kind in self.kinds)
            and (self.user_id is None or event.user_id == self.user_id)
            and (self.topic is None or event.topic == self.topic)
            and (self.request_id is None or event.request_id == self.request_id)
        )


def _differ(wanted: str | None, actual: str | None) -> bool:
    return wanted is not None and actual is not None and wanted != actual


EVERYTHING = EventFilter()


class ForeignPosition(FrozenRecord, frozen=True, kw_only=True):
    """The position of a watcher that another node has served: its life, its number, and its mark."""

    life: str
    seq: int
    mark: int


class RecordedEvent(NamedTuple):
    """An event as it was recorded for all nodes: its mark, the name of its node, and its JSON."""

    mark: int
    node: str
    kind: str
    payload: str


class MissedEvents(FrozenRecord, frozen=True, kw_only=True):
    """What a watcher has missed that comes from another node.

    `events` are all recorded ones up to `mark`, except those that the watcher has seen there. This daemon's
    own are among them up to `own`, and everything that it has published up to `after`.
    """

    events: AsyncIterator[RecordedEvent]
    mark: int
    own: int
    after: int
    has_lost: bool = False


class EventSharing(FrozenRecord, frozen=True, kw_only=True):
    """What a daemon must know that shares its events with other nodes: its name, and where they are recorded.

    `missed` finds what a watcher from another node has missed, or raises `LookupError`; `wanted` is called
    when `Events.wants_output_of_others` changes.
    """

    node: str
    missed: Callable[[ForeignPosition], Awaitable[MissedEvents]]
    wanted: Callable[[], None]


class Events(Protocol):
    """The events of this daemon. Call all functions in the thread of the event loop."""

    @property
    def life(self) -> str:
        """An identifier of this run of the daemon, within which the numbers of events are unique."""

    @property
    def last(self) -> int:
        """The number of the newest event."""

    @property
    def kinds(self) -> Iterable[str]:
        """All kinds that may be published."""

    @property
    def is_watched(self) -> bool:
        """Whether there are watchers of `Output`, which need not be created otherwise."""

    def publish(self, event: Event) -> None:
        """Number an event and deliver it to observers and watchers, without waiting.

        Raises `TypeError` for an undeclared kind, and `ValueError` for an event of a plugin whose fields are
        not JSON or take more than 256 KiB.
        """

    def publish_lazily(self, kind: type[Event], weight: int, /, **fields: Any) -> None:
        """Publish an event of the core that is created from its fields when it is first needed.

        The cost is negligible until then. The weight is the number of characters of its texts.
        """

    def watch(
        self, wanted: EventFilter = EVERYTHING, *, after: int | None = None
    ) -> AbstractContextManager[AsyncIterator[Published]]:
        """Watch new events, or all events after a number.

        A watcher that reads too slowly first loses `Output`; finally the iteration ends, as it does when the
        daemon stops. Events arrive within a few hundredths of a second.
        """

    def kept(self, after: int) -> Iterator[Published]:
        """Return the events of this daemon after a number, as far as they are kept.

        Unlike a watch, that does not have events created when they are published.
        """

    def at_next(self, callback: Callable[[], None]) -> None:
        """Call back once, at the next event, in place of what was to be called."""

    def observe(self, observer: Observer) -> AbstractContextManager[None]:
        """Have an observer notified within the context, after those that were there before."""

    def end_watches(self, user_id: str) -> None:
        """End the watches of a user's events after what was published: another node goes on with them."""

    def share(self, sharing: EventSharing) -> None:
        """Make this daemon one of several nodes, whose watchers may want the events of all."""

    @property
    def wants_output_of_others(self) -> bool:
        """Whether watchers of this daemon want the `Output` of all nodes."""

    def publish_recorded(self, recorded: RecordedEvent, weight: int) -> None:
        """Deliver an event of another node to the watchers that want those; no observer is notified."""

    def note_mark(self, mark: int) -> None:
        """Note that everything recorded up to a mark has been published here."""


class Observer(FrozenRecord, frozen=True, kw_only=True):
    """Is notified of events as they are published; it cannot change anything.

    It observes the given kinds, by default finished commands. The observer with the lowest `order` is called
    first; if equal, the one whose plugin was loaded first.
    """

    name: str
    on_event: Callable[[Event], None]
    kinds: frozenset[str] = frozenset({CommandEnded.kind})
    order: int = 0

    def __post_init__(self) -> None:
        check_word("observer", self.name)
        check_sync(f"observer {self.name}", self.on_event, takes=1)
        if not isinstance(self.kinds, frozenset):
            raise TypeError(f"observer {self.name} needs a frozenset of kinds, not {self.kinds!r}")
        check_optional_text(f"kinds of observer {self.name}", *self.kinds)
        check_order(f"observer {self.name}", self.order)


class EventKind(FrozenRecord, frozen=True, kw_only=True):
    """A kind of events that a plugin publishes: a subclass of `Event` with its own `kind`."""

    event: type[Event]

    @property
    def name(self) -> str:
        """The name of the kind."""
        return self.event.kind

    def __post_init__(self) -> None:
        if not (isinstance(self.event, type) and issubclass(self.event, Event)):
            raise TypeError(f"kind of event needs a subclass of Event, not {self.event!r}")
        check_word("kind of event", self.event.kind)
        if taken := {"kind", "seq"} & {it.name for it in fields(self.event)}:
            raise ValueError(f"kind of event {self.name} can't have a field called {min(taken)}")


class ChangeSignal(Protocol):
    """Tells of changes: `wait` returns once it is set, `clear` resets it; `asyncio.Event` is one."""

    def clear(self) -> None:
        """Wait for the next change from now on."""

    async def wait(self) -> object:
        """Return once something has changed."""
