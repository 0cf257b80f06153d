"""Cancelling commands that run, wait, or ignore the cancellation."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess, Events
from tests.protocol.waits import eventually

CANCELLED = "ERROR(CANCELLED): The command was cancelled."
NOTHING = "ERROR(NOT_FOUND): Nothing runs in this topic."
PLUGIN = """
import asyncio
from contextlib import asynccontextmanager
from stringd.plugin import Command, Interceptor, Refusal, Reply, Topic, TopicType, hookimpl

async def stubborn(_):
    for _ in range(1200):
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            pass
    return Reply.confirmation("done after all")

async def cleaning(invocation):
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(0.2)
        (invocation.session.user.home / "cleaned").touch()

async def swallowing(_):
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        return Reply.confirmation("as if nothing had happened")

async def failing(_):
    try:
        await asyncio.sleep(60)
    finally:
        raise LookupError("while cleaning up")

async def wording(_):
    try:
        await asyncio.sleep(60)
    finally:
        raise Refusal("CANCELLED", "Half of it is done.")

async def suicidal(invocation):
    await invocation.session.cancel()
    return Reply.confirmation("never")

async def pressing(_):
    await asyncio.sleep(60)

@asynccontextmanager
async def open_slowly(context):
    gate = context.session.user.home / "gate"
    while not gate.exists():
        await asyncio.sleep(0.01)
    yield Topic()

class Odd(Topic):
    def __init__(self, name):
        self.name = name
    async def cancel(self):
        match self.name:
            case "leaving":
                raise SystemExit(3)
            case "cancelled":
                raise asyncio.CancelledError
            case "number":
                return 7
            case "hanging":
                await asyncio.sleep(60)
        return "something odd"

@asynccontextmanager
async def open_odd(context):
    yield Odd(context.session.name.name)

async def hold(invocation, proceed):
    if invocation.line.word == "held":
        await asyncio.sleep(60)
    return await proceed(invocation)

async def held(_):
    return Reply.confirmation("never")

@hookimpl
def stringd_interceptors():
    return [Interceptor(name="hold", run=hold)]

@hookimpl
def stringd_topic_types():
    return [
        TopicType(name="slow", summary="Opens slowly.", open=open_slowly),
        TopicType(name="odd", summary="Is odd.", open=open_odd),
    ]

@hookimpl
def stringd_commands():
    waiting = [
        Command(name=run.__name__, summary="Wait.", usage="", run=run)
        for run in (stubborn, cleaning, swallowing, failing, wording, suicidal, held)
    ]
    return [*waiting, Command(name="pressing", summary="Wait.", usage="", run=pressing, urgent=True)]
"""


@pytest.fixture
def waiting(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    plugin = tmp_path / "waiting.py"
    plugin.write_text(PLUGIN)
    daemon = start_daemon("--plugins", str(plugin))
    daemon.register("default", daemon.home)
    return daemon


def in_background(daemon: DaemonProcess, cmd: str, **options: str) -> Future[Events]:
    """Send a command, and return once the daemon executes or queues it."""
    count = busy(daemon)
    pool = ThreadPoolExecutor(1)
    answer = pool.submit(daemon.exec, cmd, "file:main", **options)
    pool.shutdown(wait=False)
    deadline = time.monotonic() + 10
    while busy(daemon) == count and time.monotonic() < deadline:
        threading.Event().wait(0.01)
    return answer


def busy(daemon: DaemonProcess) -> int:
    sessions = daemon.request("GET", "/sessions").json()["sessions"]
    return sum(it["executing"] + it["queue_length"] for it in sessions)


def cancel(daemon: DaemonProcess, **body: str) -> dict[str, object]:
    reply = daemon.request("POST", "/cancel", {"topic": "file:main", **body}, {"X-User-Id": "default"})
    assert reply.status == 200
    answer: dict[str, object] = reply.json()
    return answer


@pytest.mark.requirement("activity.cancel.command", "activity.cancel.clean_up", "activity.cancel.queue")
def test_reply_to_a_cancelled_command_follows_its_cleanup(waiting: DaemonProcess) -> None:
    running = in_background(waiting, "/cleaning")
    queued = in_background(waiting, "/help")
    assert waiting.exec("/cancel", "file:main").content == "re: /cancel\nCancelled: /cleaning"
    assert running.result(10).content == "re: /cleaning\nERROR(CANCELLED): The command was cancelled."
    assert (waiting.home / "cleaned").exists()
    assert queued.result(10).head["ok"]


@pytest.mark.requirement("activity.cancel.http")
def test_command_that_swallows_its_cancellation_counts_as_cancelled(waiting: DaemonProcess) -> None:
    running = in_background(waiting, "/swallowing")
    assert cancel(waiting) == {"topic": "file:main", "cancelled": True, "cmd": "/swallowing"}
    assert running.result(10).head["code"] == "CANCELLED"


@pytest.mark.requirement("activity.cancel.abandoned")
def test_command_that_ignores_its_cancellation_is_abandoned(waiting: DaemonProcess) -> None:
    running = in_background(waiting, "/stubborn")
    assert cancel(waiting)["cancelled"]
    assert running.result(10).content.split("\n")[1:] == [
        "ERROR(CANCELLED): The command was cancelled.",
        "It did not end within 5 s and may still be running.",
    ]
    assert "/stubborn does not end when it is cancelled" in waiting.stderr()
    assert waiting.exec("/help", "file:main").head["ok"]


@pytest.mark.requirement("activity.cancel.http.request_id")
def test_one_request_is_cancelled_by_its_id(waiting: DaemonProcess) -> None:
    running = in_background(waiting, "/cleaning", request_id="first")
    queued = in_background(waiting, "/swallowing", request_id="second")
    assert not cancel(waiting, request_id="third")["cancelled"]
    assert cancel(waiting, request_id="second")["cancelled"]
    assert (
        queued.result(10).content == "re: [second] /swallowing\nERROR(CANCELLED): The command was cancelled."
    )
    assert not running.done()
    assert cancel(waiting, request_id="first")["cancelled"]
    assert running.result(10).head["code"] == "CANCELLED"


@pytest.mark.requirement("activity.cancel.nothing")
def test_nothing_to_cancel(waiting: DaemonProcess) -> None:
    assert waiting.exec("/cancel", "file:main").content == (
        "re: /cancel\nERROR(NOT_FOUND): Nothing runs in this topic."
    )
    assert not cancel(waiting)["cancelled"]


@pytest.mark.requirement("activity.cancel.once")
@pytest.mark.parametrize(
    ("cmd", "answer"),
    [
        ("/failing", CANCELLED),
        ("/wording", "ERROR(CANCELLED): Half of it is done."),
        ("/suicidal", CANCELLED),
        ("/held", CANCELLED),
    ],
)
def test_command_counts_as_cancelled_whatever_it_raises(
    cmd: str, answer: str, waiting: DaemonProcess
) -> None:
    running = in_background(waiting, cmd)
    cancel(waiting)
    assert running.result(10).content == f"re: {cmd}\n{answer}"
    assert waiting.exec("/help", "file:main").head["ok"]


@pytest.mark.requirement("activity.cancel.http.request_id")
def test_an_urgent_command_is_cancelled_by_its_id_only(waiting: DaemonProcess) -> None:
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(waiting.exec, "/pressing", "file:main", "default", "urgent")
        eventually(lambda: cancel(waiting, request_id="urgent")["cancelled"])
        assert running.result(10).content == f"re: [urgent] /pressing\n{CANCELLED}"
        running = pool.submit(waiting.exec, "/pressing", "file:main", "default", "other")
        assert waiting.exec("/cancel", "file:main").content.endswith(NOTHING)
        eventually(lambda: cancel(waiting, request_id="other")["cancelled"])
        assert running.result(10).head["code"] == "CANCELLED"


@pytest.mark.requirement("activity.cancel.once")
def test_fifty_cancellations_at_once(waiting: DaemonProcess) -> None:
    running = in_background(waiting, "/cleaning")
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: cancel(waiting), range(50)))
    assert any(it["cancelled"] for it in answers)
    assert {it["cmd"] for it in answers} <= {"/cleaning", None}
    assert running.result(10).content == f"re: /cleaning\n{CANCELLED}"
    assert waiting.exec("/help", "file:main").head["ok"]


@pytest.mark.requirement("activity.cancel.state")
def test_a_command_whose_topic_is_being_opened(waiting: DaemonProcess) -> None:
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(waiting.exec, "/help", "slow:t")
        eventually(lambda: cancel(waiting, topic="slow:t")["cancelled"])
        assert first.result(5).content == f"re: /help\n{CANCELLED}"
        second = pool.submit(waiting.exec, "/help", "slow:t")
        (waiting.home / "gate").touch()
        assert second.result(10).head["ok"]


@pytest.mark.requirement("activity.cancel.session")
def test_a_topic_with_a_stubborn_command_is_deleted(waiting: DaemonProcess) -> None:
    running = in_background(waiting, "/stubborn")
    started = time.monotonic()
    assert waiting.request("DELETE", "/sessions/default/file:main").json()["deleted"]
    assert time.monotonic() - started < 5
    ended = "ERROR(SESSION_CLOSED): Session default:file:main was closed."
    assert running.result(1).content == f"re: /stubborn\n{ended}"
    assert waiting.exec("/help", "file:main").head["ok"]
    assert "/stubborn does not end when it is cancelled, and is abandoned" in waiting.stderr()


@pytest.mark.requirement("activity.cancel.session")
def test_a_daemon_with_a_stubborn_command_stops(waiting: DaemonProcess) -> None:
    running = in_background(waiting, "/stubborn")
    assert waiting.stop() == 0
    assert running.result(1).head["code"] == "SHUTTING_DOWN"


@pytest.mark.long
@pytest.mark.requirement("activity.cancel.abandoned")
def test_a_daemon_that_has_abandoned_a_command_stops(waiting: DaemonProcess) -> None:
    running = in_background(waiting, "/stubborn")
    assert cancel(waiting)["cancelled"]
    assert running.result(1).head["code"] == "CANCELLED"
    assert waiting.stop() == 0


@pytest.mark.requirement("activity.cancel.command")
def test_chanflow_blocks_cancel_and_are_cancelled(waiting: DaemonProcess) -> None:
    def chanflow(cmd: str) -> str:
        block = f"<𝒞=string:file:main>\n{cmd}\n</𝒞>"
        return waiting.request("POST", "/chanflow", block, {"X-User-Id": "default"}).text

    count = busy(waiting)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(chanflow, "/cleaning")
        eventually(lambda: busy(waiting) > count)
        assert "Cancelled: /cleaning" in chanflow("/cancel")
        assert "✗ CANCELLED: The command was cancelled." in running.result(10)
    assert "✗ NOT_FOUND: Nothing runs in this topic." in chanflow("/cancel")


@pytest.mark.requirement("activity.cancel.command")
@pytest.mark.parametrize("topic", ["file:a", "web:a", "bash:a"])
def test_help_explains_it(topic: str, waiting: DaemonProcess) -> None:
    slash = "//" if topic.startswith("bash") else "/"
    listed = waiting.exec(f"{slash}help", topic).content
    assert re.search(rf"^{slash}cancel +Cancel", listed, re.MULTILINE)
    assert waiting.exec(f"{slash}cancel", topic).content == f"re: {slash}cancel\n{NOTHING}"
    assert waiting.exec(f"{slash}cancel all", topic).head["code"] == "INVALID_PAYLOAD"


@pytest.mark.requirement("activity.cancel.http.refused")
@pytest.mark.parametrize(
    ("body", "user", "status", "error"),
    [
        ({"topic": "file:main"}, None, 400, "X-User-Id header required"),
        ({"topic": "file:main"}, "nobody", 401, "Unknown user: nobody"),
        ("{", "default", 400, 'Invalid JSON body — expected { "topic": "...", "request_id": "..." }'),
        ("[]", "default", 400, 'Invalid JSON body — expected { "topic": "...", "request_id": "..." }'),
        ({"topic": "a b:c"}, "default", 400, "Invalid topic: a b:c"),
        ({"topic": 7}, "default", 400, "Invalid topic: 7"),
        ({"topic": "nothing:x"}, "default", 400, "Invalid topic: nothing:x"),
        ({"topic": "file:main", "request_id": 7}, "default", 400, "request_id must be a string"),
        ({"topic": "file:main", "request_id": ["a"]}, "default", 400, "request_id must be a string"),
    ],
)
def test_bad_requests_are_refused(
    body: object, user: str | None, status: int, error: str, daemon: DaemonProcess
) -> None:
    reply = daemon.request("POST", "/cancel", body, {"X-User-Id": user} if user else {})
    assert (reply.status, reply.json()["error"]) == (status, error)
    assert daemon.request("GET", "/sessions").json()["sessions"] == []


@pytest.mark.requirement("activity.cancel.http.refused")
def test_unused_topic_is_not_created(daemon: DaemonProcess) -> None:
    reply = daemon.request("POST", "/cancel", {"topic": "file:never"}, {"X-User-Id": "default"})
    assert reply.json() == {"topic": "file:never", "cancelled": False, "cmd": None}
    assert daemon.request("GET", "/cancel").status == 405
    assert daemon.request("GET", "/sessions").json()["sessions"] == []


@pytest.mark.requirement("activity.cancel.state")
@pytest.mark.parametrize(
    "name", ["leaving", "cancelled", "number", pytest.param("hanging", marks=pytest.mark.long)]
)
def test_failing_cancel_of_a_topic_does_not_affect_others(name: str, waiting: DaemonProcess) -> None:
    topic = f"odd:{name}"
    assert waiting.exec("/help", topic).head["ok"]
    reply = waiting.request("POST", "/cancel", {"topic": topic}, {"X-User-Id": "default"})
    assert reply.status == 500
    assert waiting.exec("/cancel", topic).head["code"] == "INTERNAL_ERROR"
    assert waiting.exec("/help", topic).head["ok"]
    assert waiting.exec("/help", "odd:fine").head["ok"]
    assert cancel(waiting, topic="odd:fine") == {
        "topic": "odd:fine",
        "cancelled": True,
        "cmd": "something odd",
    }
