"""What happens in the daemon while it happens, as observers and watchers see it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple, Protocol

from stringd.api.checks import check_optional_text, check_order, check_sync, check_word

BASE_WEIGHT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that has happened; `at` is when, in seconds since 1970.

    Each kind is a subclass that names its `kind` and adds fields of its own, all of them values of JSON.
    An event is published once, and not changed afterwards.
    """

    kind: ClassVar[str] = ""

    user_id: str | None = None
    topic: str | None = None
    request_id: str | None = None
    at: float = field(default_factory=time.time)

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes; the daemon measures the events of plugins itself."""
        return BASE_WEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandBegun(Event):
    """A command has begun. The label is its first line with secrets masked, not cut."""

    kind: ClassVar[str] = "command-begun"

    label: str

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes."""
        return BASE_WEIGHT + len(self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEnded(Event):
    """A command has ended: with a code if it failed, after so many seconds, answered in so many characters.

    Bodies and replies are left out: they may hold secrets.
    """

    kind: ClassVar[str] = "command-ended"

    label: str
    code: str | None
    seconds: float
    size: int

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes."""
        return BASE_WEIGHT + len(self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Event):
    """What a command prints, or how far it is: `done` of `total` (None: unknown) in a `unit` such as bytes.

    Text is masked, and shown as a terminal would show it. `source` says what it comes from, in a few words.
    """

    kind: ClassVar[str] = "output"

    text: str | None = None
    done: int | None = None
    total: int | None = None
    unit: str | None = None
    source: str | None = None

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes."""
        return BASE_WEIGHT + len(self.text or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOpened(Event):
    """A topic was used for the first time."""

    kind: ClassVar[str] = "session-opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionForked(Event):
    """A topic was created as a copy of another one, its `origin`."""

    kind: ClassVar[str] = "session-forked"

    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(Event):
    """A topic was closed or deleted, its user was removed, or the daemon stops: the `reason`."""

    kind: ClassVar[str] = "session-ended"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserAdded(Event):
    """A user was registered."""

    kind: ClassVar[str] = "user-added"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRemoved(Event):
    """A user was removed with all topics."""

    kind: ClassVar[str] = "user-removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonReady(Event):
    """The daemon listens."""

    kind: ClassVar[str] = "daemon-ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonStopping(Event):
    """The daemon has begun to stop."""

    kind: ClassVar[str] = "daemon-stopping"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost(Event):
    """So many events are missing here (None: nobody knows how many), and why."""

    kind: ClassVar[str] = "lost"

    count: int | None
    reason: str


CORE_KINDS: tuple[type[Event], ...] = (
    CommandBegun,
    CommandEnded,
    Output,
    SessionOpened,
    SessionForked,
    SessionEnded,
    UserAdded,
    UserRemoved,
    DaemonReady,
    DaemonStopping,
    Lost,
)


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
        """Whether anybody watches; `Output` that nobody would see need not be made."""

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
