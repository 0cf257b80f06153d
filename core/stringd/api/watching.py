"""Who sees events: watchers, observers, and the publisher that hands events to them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Protocol

from stringd.api.checks import check_optional_text, check_order, check_sync, check_word
from stringd.api.events import BASE_WEIGHT, CommandEnded, Event, Lost


class Published(NamedTuple):
    """An event as it was published: with its number in this life of the daemon, and its weight in bytes.

    A `Lost` that concerns one watcher alone has no number.
    """

    seq: int | None
    event: Event
    weight: int = BASE_WEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """Which events a watcher wants: those of a user, of a topic, of a request, of some kinds; None: all."""

    user_id: str | None = None
    topic: str | None = None
    request_id: str | None = None
    kinds: Collection[str] | None = None

    def accepts(self, event: Event) -> bool:
        """Tell whether an event is wanted; what is lost is, unless it is of another user or topic."""
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


class Events(Protocol):
    """The events of this daemon. All functions are to be called on the event loop's thread."""

    @property
    def life(self) -> str:
        """What tells this run of the daemon from others; numbers of events count within it."""

    @property
    def is_watched(self) -> bool:
        """Whether anybody wants `Output`, which need not be made otherwise."""

    def publish(self, event: Event) -> None:
        """Number an event and hand it to all who watch; this never waits.

        Raises `TypeError` or `ValueError` for an event of a kind that was not declared, or of a plugin's
        kind whose fields are no JSON or take more than 256 KiB.
        """

    def publish_lazily(self, kind: type[Event], weight: int, /, **fields: Any) -> None:
        """Publish an event of a kind of the core's that is made of its fields when somebody looks at it.

        It costs next to nothing as long as nobody does. The weight is how many characters its texts have.
        """

    def watch(
        self, wanted: EventFilter = EVERYTHING, *, after: int | None = None
    ) -> AbstractContextManager[AsyncIterator[Published]]:
        """Watch events: from now on, or from the one after a number.

        One who reads too slowly loses `Output` first; at last the iteration ends, as it does at the
        daemon's end. An event arrives at most some hundredths of a second after it was published.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Observer:
    """Is notified of events as they are published; it can't change anything.

    It sees the kinds that it names, by default the commands that have ended. The observer with the lowest
    `order` comes first; of the same order, the one whose plugin was loaded first.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EventKind:
    """A kind of event that a plugin publishes: a subclass of `Event` with a `kind` of its own."""

    event: type[Event]

    @property
    def name(self) -> str:
        """The kind."""
        return self.event.kind

    def __post_init__(self) -> None:
        if not (isinstance(self.event, type) and issubclass(self.event, Event)):
            raise TypeError(f"kind of event needs a subclass of Event, not {self.event!r}")
        check_word("kind of event", self.event.kind)
        if taken := {"kind", "seq"} & {it.name for it in fields(self.event)}:
            raise ValueError(f"kind of event {self.name} can't have a field called {min(taken)}")
