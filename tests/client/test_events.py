"""`Client.events` and `AsyncClient.events`: records, filters, reconnection."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, closing
from typing import Any, TypeAlias, cast

import anyio
import pytest

from stringd.client import AsyncClient, Client, DaemonUnreachable, Event, RequestRefused
from stringd.testing.process import DaemonProcess

Act: TypeAlias = Callable[[], object]
Watch: TypeAlias = Callable[..., list[Event]]


def watch_blocking(daemon: DaemonProcess, last: str, act: Act, **options: Any) -> list[Event]:
    """Return the events up to one of the kind `last`; call `act` after the first one."""
    seen: list[Event] = []
    with Client(port=daemon.port, start=False) as client:
        with closing(cast("Generator[Event]", client.events(**options))) as events:
            for event in events:
                seen.append(event)
                if len(seen) == 1:
                    threading.Thread(target=act).start()
                if event.kind == last:
                    break
        return seen


def watch_async(daemon: DaemonProcess, last: str, act: Act, **options: Any) -> list[Event]:
    async def watch() -> list[Event]:
        seen: list[Event] = []
        async with AsyncClient(port=daemon.port, start=False) as client:
            async with aclosing(cast("AsyncGenerator[Event]", client.events(**options))) as events:
                async for event in events:
                    seen.append(event)
                    if len(seen) == 1:
                        threading.Thread(target=act).start()
                    if event.kind == last:
                        break
            return seen

    return anyio.run(watch)


@pytest.fixture(params=[watch_blocking, watch_async])
def watch(request: pytest.FixtureRequest) -> Watch:
    found: Watch = request.param
    return found


def nothing() -> None:
    """Let things happen by themselves."""


@pytest.mark.requirement("events.client")
def test_records_have_the_documented_fields(own_daemon: DaemonProcess, watch: Watch) -> None:
    seen = watch(
        own_daemon,
        "command-ended",
        lambda: own_daemon.exec("/help", "file:main", request_id="r"),
        after=0,
        everyone=True,
    )
    ready, *_, begun, ended = seen
    assert (ready.kind, ready.seq, ready.user_id) == ("daemon-ready", 1, None)
    assert (begun.kind, begun.topic, begun.request_id) == ("command-begun", "file:main", "r")
    assert begun.fields == {"label": "/help"}
    assert ended.fields.keys() == {"label", "code", "seconds", "size"}
    assert [it.seq for it in seen] == list(range(1, len(seen) + 1))
    assert ended.position.endswith(f"-{ended.seq}")


@pytest.mark.requirement("events.client")
def test_filters_are_applied(own_daemon: DaemonProcess, watch: Watch) -> None:
    own_daemon.register("ann")
    own_daemon.exec("/help", "file:a")
    own_daemon.exec("/help", "file:b", user="ann")
    own_daemon.exec("/nothing", "file:b", request_id="x")
    own_daemon.exec("/help", "file:b")
    mine = watch(own_daemon, "command-begun", nothing, topic="b", after=0)
    assert {(it.user_id, it.topic) for it in mine} == {("default", "file:b")}
    (ended,) = watch(own_daemon, "command-ended", nothing, kinds=["command-ended"], request_id="x", after=0)
    assert ended.fields["code"] == "COMMAND_UNSUPPORTED"
    (begun,) = watch(own_daemon, "command-begun", nothing, kinds=["command-begun"], after=ended.position)
    assert (begun.topic, begun.fields["label"]) == ("file:b", "/help")


@pytest.mark.requirement("events.client", "events.lost")
def test_iteration_continues_after_a_restart(own_daemon: DaemonProcess, watch: Watch) -> None:
    seen = watch(own_daemon, "lost", own_daemon.restart, after=0, everyone=True, reconnect=True)
    assert [it.kind for it in seen] == ["daemon-ready", "user-added", "daemon-stopping", "lost"]
    assert seen[-1].fields == {"count": None, "reason": "the daemon has been restarted"}
    assert seen[-1].seq is None


@pytest.mark.requirement("events.client")
def test_iteration_ends_with_the_daemon_by_default(own_daemon: DaemonProcess, watch: Watch) -> None:
    seen = watch(own_daemon, "nothing", own_daemon.stop, everyone=True, after=0)
    assert [it.kind for it in seen] == ["daemon-ready", "user-added", "daemon-stopping"]


@pytest.mark.requirement("events.client")
def test_refusal_is_raised(own_daemon: DaemonProcess, watch: Watch) -> None:
    with pytest.raises(RequestRefused, match="did you mean output"):
        watch(own_daemon, "output", nothing, kinds=["outputs"])
    own_daemon.stop()
    with pytest.raises(DaemonUnreachable):
        watch(own_daemon, "output", nothing, reconnect=True)
