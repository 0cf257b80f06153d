"""The interfaces to events: filters, watchers, observers, and the publisher."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Protocol

from stringd.api.checks import check_optional_text, check_order, check_sync, check_word
from stringd.api.events import BASE_WEIGHT, CommandEnded, Event, Lost


class Published(NamedTuple):
    """A published event with its number in this run of the daemon, and its size in bytes.

    A `Lost` that only concerns one watcher has no number.
    """

    seq: int | None
    event: Event
    weight: int = BASE_WEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """A filter of events by user, topic, request and kind; None accepts all."""

    user_id: str | None = None
    topic: str | None = None
    request_id: str | None = None
    kinds: Collection[str] | None = None

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


class Events(Protocol):
    """The events of this daemon. Call all functions in the thread of the event loop."""

    @property
    def life(self) -> str:
        """An identifier of this run of the daemon, within which the numbers of events are unique."""

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

    def observe(self, observer: Observer) -> AbstractContextManager[None]:
        """Have an observer notified within the context, after those that were there before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observer:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EventKind:
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
