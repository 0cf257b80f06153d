"""The event bus: numbers without gaps, delivery or a report of missing events, bounded memory."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stringd.api.event_interfaces import EventFilter, EventKind, Observer, Published
from stringd.api.events import CommandBegun, CommandEnded, Event, Lost, Output, UserAdded
from stringd.events import recent_events, watch_outbox
from stringd.events.bus import EventBus
from stringd.events.event_weights import MOST_EVENT_BYTES
from stringd.events.flood_limit import MOST_IN_A_SECOND, FloodLimit
from stringd.events.recent_events import RecentEvents
from stringd.events.watch_outbox import Batch, Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf(Event):
    """A kind of a plugin."""

    kind: ClassVar[str] = "leaf"

    of: Any = None

    @property
    def weight(self) -> int:
        raise AssertionError("a plugin's own weight is not asked for")


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverMade(CommandEnded):
    """The end of a command that nobody needs to know of."""

    def __post_init__(self) -> None:
        raise AssertionError("the event is made, although nobody wants it")


def bus_with_leaves(*observers: Observer) -> EventBus:
    bus = EventBus()
    bus.declare([EventKind(event=Leaf)], observers)
    return bus


def begun(label: str = "/info", **fields: Any) -> CommandBegun:
    return CommandBegun(label=label, **fields)


def output(text: str = "line") -> Output:
    return Output(text=text)


def ignore(_: Event) -> None:
    """An observer that ignores all events."""


def taken(watching: Watch) -> list[Published]:
    """Return the events that can be read without waiting."""
    return list(iter(watching.next_ready, None))


async def read_all(watching: Watch) -> list[Published]:
    return [it async for it in watching]


def numbers(events: list[Published]) -> list[int | None]:
    return [it.seq for it in events]


def test_events_that_nobody_wants_are_not_made() -> None:
    async def run() -> list[Published]:
        bus = bus_with_leaves()
        with bus.watch(EventFilter(kinds={UserAdded.kind})) as watching:
            bus.publish(UserAdded(user_id="a"))
            bus.publish_lazily(NeverMade, 5, label="/info", code=None, seconds=0.1, size=3)
            assert bus.position(watching) == bus.last == 2
            bus.publish(UserAdded(user_id="b"))
            bus.close()
            return await read_all(watching)

    assert numbers(asyncio.run(run())) == [1, 3]


@pytest.mark.requirement("events.seq")
def test_events_are_numbered_from_1_without_gaps() -> None:
    async def run() -> list[Published]:
        bus = bus_with_leaves()
        with bus.watch() as watching:
            bus.publish(begun())
            bus.publish_lazily(CommandEnded, 5, label="/info", code=None, seconds=0.1, size=3)
            bus.publish(Leaf(of=[1]))
            bus.close()
            return await read_all(watching)

    seen = asyncio.run(run())
    assert numbers(seen) == [1, 2, 3]
    assert [it.event.kind for it in seen] == ["command-begun", "command-ended", "leaf"]
    assert all(it.event.at > 1e9 for it in seen)


def test_unwatched_events_are_created_for_a_later_watcher() -> None:
    bus = bus_with_leaves()
    fields = {"user_id": "ann", "topic": "file:main", "request_id": "r", "label": "/info"}
    bus.publish_lazily(CommandBegun, 5, **fields)
    with bus.watch(after=0) as one, bus.watch(after=0) as other:
        (first,), (second,) = taken(one), taken(other)
    assert first.event is second.event
    assert isinstance(first.event, CommandBegun)
    assert {name: getattr(first.event, name) for name in fields} == fields


@given(
    before=st.integers(0, 30),
    after=st.integers(0, 40),
    steps=st.lists(st.sampled_from(["publish", "read", "hand out", "wait"]), max_size=40),
)
def test_resumed_watch_neither_skips_nor_repeats_events(before: int, after: int, steps: list[str]) -> None:
    """Any events may be published while the missed ones are read."""

    bus = bus_with_leaves()
    for _ in range(before):
        bus.publish(begun())
    seen, last = asyncio.run(read_meanwhile(bus, after, steps))
    if after > before:
        assert isinstance(seen[0].event, Lost)
        assert numbers(seen) == [None, *range(1, last + 1)]
    else:
        assert numbers(seen) == list(range(after + 1, last + 1))


async def read_meanwhile(bus: EventBus, after: int, steps: list[str]) -> tuple[list[Published], int]:
    seen: list[Published] = []
    with bus.watch(after=after) as watching:
        for step in steps:
            if step == "publish":
                bus.publish(begun())
            elif step == "hand out":
                bus._hand_out()
            elif step == "wait":
                await asyncio.sleep(0)
            elif published := watching.next_ready():
                seen.append(published)
        bus.close()
        return [*seen, *await read_all(watching)], bus.last


@given(count=st.integers(0, 60), after=st.integers(0, 60), size=st.integers(0, 900))
def test_dropped_events_are_counted(count: int, after: int, size: int) -> None:
    recent = RecentEvents()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recent_events, "MOST_EVENTS", 20)
        patch.setattr(recent_events, "MOST_BYTES", 10_000)
        for _ in range(count):
            event = output("x" * size)
            recent.append(event, event.weight)
        got = list(recent.after(min(after, count)))
    lost = sum(it.event.count or 0 for it in got if isinstance(it.event, Lost))
    kept = [it for it in got if it.seq]
    assert len(kept) <= min(20, 10_000 // (256 + size))
    assert lost + len(kept) == count - min(after, count)
    assert numbers(kept) == list(range(count - len(kept) + 1, count + 1))


def test_latest_events_are_kept_within_limits() -> None:
    recent = RecentEvents()
    for _ in range(recent_events.MOST_EVENTS + 5):
        recent.append_unmade(UserAdded, {}, 256)
    first, second, *_ = recent.after(0)
    assert first.event == Lost(count=5, reason="the daemon no longer keeps them", at=first.event.at)
    assert second.seq == 6
    recent.append(output(), recent_events.MOST_BYTES)
    assert len(list(recent.after(recent.last - 1))) == 1
    recent.append(output(), recent_events.MOST_BYTES + 1, "another node")
    (lost,) = recent.after(recent.last - 1)
    assert isinstance(lost.event, Lost)
    assert lost.event.count == 1


def test_request_id_counts_towards_the_weight() -> None:
    bus = bus_with_leaves()
    for _ in range(20):
        bus.publish(begun(request_id="x" * 1024 * 1024))
    with bus.watch(after=0) as watching:
        assert len(taken(watching)) < 10


@given(st.lists(st.sampled_from("cor"), min_size=1, max_size=120))
@example("c" * 11 + "ooo")
def test_slow_watcher_loses_output_first_and_gets_the_count(steps: str) -> None:
    """c: a command begins, o: output, r: an event is read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watch_outbox, "MOST_EVENTS", 12)
        watching = Watch(EventFilter(), 0)
        seen: list[Published] = []
        offered: list[Published] = []
        for step in steps:
            if step == "r":
                seen += [it for it in [watching.next_ready()] if it]
                continue
            was_closed = watching.is_closed
            published = Published(len(offered) + 1, begun() if step == "c" else output())
            watching.offer(Batch([published]))
            offered += [] if was_closed else [published]
            assert sum(len(it.events) for it in watching._outbox) <= 12 + 2
        seen += taken(watching)
    lost = sum(it.event.count or 0 for it in seen if isinstance(it.event, Lost))
    kept = [it for it in seen if it.seq]
    assert [it for it in offered if isinstance(it.event, CommandBegun)] == [
        it for it in kept if isinstance(it.event, CommandBegun)
    ]
    assert lost + len(kept) == len(offered)
    assert numbers(kept) == sorted(it.seq or 0 for it in kept)
    assert (not watching.is_closed) or "no more are sent" in repr(seen[-1].event)


def test_watcher_that_never_reads_takes_bounded_memory() -> None:
    async def run() -> tuple[int, bool, list[Published]]:
        bus = bus_with_leaves()
        with bus.watch() as watching:
            for number in range(watch_outbox.MOST_EVENTS * 3):
                bus.publish(begun(str(number)))
            length = sum(len(it.events) for it in watching._outbox)
            return length, watching.is_closed, await read_all(watching)

    length, is_closed, seen = asyncio.run(run())
    assert is_closed
    assert length <= watch_outbox.MOST_EVENTS + 1000
    assert isinstance(seen[-1].event, Lost)
    assert seen[-1].event.count is None


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (EventFilter(), [1, 2, 3, 4, 5]),
        (EventFilter(user_id="ann"), [1, 3, 4]),
        (EventFilter(topic="file:b"), [3, 4, 5]),
        (EventFilter(request_id="r"), [2, 4, 5]),
        (EventFilter(kinds={"output"}), [3, 4, 5]),
        (EventFilter(kinds={"output"}, user_id="bob"), [4, 5]),
    ],
)
def test_filters(wanted: EventFilter, expected: list[int]) -> None:
    """Lost events are reported, unless they are known to be of another user or topic."""
    bus = bus_with_leaves()
    bus.publish(begun(user_id="ann", topic="file:a"))
    bus.publish(begun(user_id="bob", topic="file:a", request_id="r"))
    bus.publish(Output(user_id="ann", topic="file:b"))
    bus.publish(Lost(count=1, reason="a test"))
    bus.publish(Lost(user_id="bob", topic="file:b", count=1, reason="a test"))
    with bus.watch(wanted, after=0) as watching:
        assert numbers(taken(watching)) == expected


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Event(), TypeError),
        (type("Stranger", (Event,), {"kind": "stranger"})(), TypeError),
        (type("Impostor", (CommandBegun,), {})(label="x"), TypeError),
        (Leaf(of=object()), ValueError),
        (Leaf(of={1, 2}), ValueError),
        (Leaf(of="x" * MOST_EVENT_BYTES), ValueError),
        (Leaf(topic=b"bytes"), ValueError),  # type: ignore[arg-type]
    ],
)
def test_invalid_event_is_refused_without_side_effects(event: Event, expected: type[Exception]) -> None:
    bus = bus_with_leaves()
    with pytest.raises(expected):
        bus.publish(event)
    bus.publish(begun())
    assert bus.last == 1


def test_deeply_nested_or_cyclic_event_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    bus = bus_with_leaves()
    for of in (circle, deep):
        with pytest.raises(ValueError, match="event leaf is no JSON"):
            bus.publish(Leaf(of=of))


def test_events_can_only_be_published_in_one_thread() -> None:
    bus = bus_with_leaves()
    bus.publish(begun())
    failures: list[Exception] = []

    def publish() -> None:
        try:
            bus.publish(begun())
        except RuntimeError as error:
            failures.append(error)

    other = threading.Thread(target=publish)
    other.start()
    other.join(10)
    assert "thread of the event loop" in str(failures)


@pytest.mark.requirement("events.observers")
def test_observers_are_notified_immediately_and_may_fail() -> None:
    seen: list[Event] = []

    def fail(_: Event) -> None:
        raise SystemExit

    bus = bus_with_leaves(
        Observer(name="failing", on_event=fail, kinds=frozenset({"leaf"})),
        Observer(name="leaves", on_event=seen.append, kinds=frozenset({"leaf"})),
        Observer(name="commands", on_event=seen.append),
    )
    bus.publish(Leaf(of=1))
    bus.publish(begun())
    bus.publish_lazily(CommandEnded, 5, label="/info", code=None, seconds=0.1, size=3)
    assert [it.kind for it in seen] == ["leaf", "command-ended"]


def test_output_is_watched_by_watchers_and_observers() -> None:
    bus = bus_with_leaves(Observer(name="leaves", on_event=ignore, kinds=frozenset({"leaf"})))
    watched = [bus.is_watched]
    with bus.watch():
        watched.append(bus.is_watched)
    assert [*watched, bus.is_watched] == [False, True, False]
    assert bus_with_leaves(Observer(name="o", on_event=ignore, kinds=frozenset({"output"}))).is_watched


def test_flood_of_events_is_limited_and_reported() -> None:
    async def run() -> list[Published]:
        bus = bus_with_leaves()
        seen: list[Published] = []
        with bus.watch(EventFilter(kinds={"leaf"})) as watching:
            for number in range(100_000):
                bus.publish(Leaf(of=number))
            bus.publish(begun())
            async with asyncio.timeout(10):
                while not seen or seen[-1].event.kind != Lost.kind:
                    seen.append(await anext(watching))
        return seen

    *leaves, lost = asyncio.run(run())
    # A busy machine may take some seconds for them.
    assert MOST_IN_A_SECOND <= len(leaves) < 10 * MOST_IN_A_SECOND
    assert isinstance(lost.event, Lost)
    assert lost.event.count == 100_000 - len(leaves)
    assert lost.event.reason == "leaf: more than 1,000 of them were published in a second"
    assert lost.seq is not None


def test_flooding_topic_does_not_affect_another() -> None:
    async def run() -> list[Published]:
        bus = bus_with_leaves()
        with bus.watch() as watching:
            for number in range(3 * MOST_IN_A_SECOND):
                bus.publish(Output(topic="file:loud", text=str(number)))
            bus.publish(Output(topic="file:quiet", text="here"))
            bus.close()
            return await read_all(watching)

    seen = [it.event.topic for it in asyncio.run(run())]
    assert seen.count("file:quiet") == 1
    assert seen.count("file:loud") < 3 * MOST_IN_A_SECOND


@given(st.lists(st.tuples(st.floats(0, 0.5), st.sampled_from("ab")), max_size=60))
def test_flood_limit_counts_all_dropped_events(steps: list[tuple[float, str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stringd.events.flood_limit.MOST_IN_A_SECOND", 3)
        limit, now = FloodLimit[str](), 1000.0
        admitted: list[tuple[float, str]] = []
        for pause, key in steps:
            now += pause
            if limit.admits(key, now):
                admitted.append((now, key))
            assert 0 <= limit.seconds_left() <= 1
    assert sum(limit.take_dropped().values()) == len(steps) - len(admitted)
    assert not limit.has_dropped
    for when, key in admitted:
        assert sum(key == other and when <= at < when + 1 for at, other in admitted) <= 6


def test_watch_ends_after_the_published_events() -> None:
    async def run() -> list[Published]:
        bus = bus_with_leaves()
        with bus.watch() as early, bus.watch(after=0) as back:
            reading = asyncio.create_task(read_all(early))
            await asyncio.sleep(0)
            bus.publish(begun("last"))
            bus.close()
            with bus.watch(after=0) as late:
                return [*await reading, *await read_all(back), *await read_all(late)]

    assert numbers(asyncio.run(run())) == [1, 1, 1]
