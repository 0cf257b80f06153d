"""Plugins that misbehave at run time: every command gets a reply, and the daemon stops cleanly."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess

SOURCE = """
import asyncio
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from stringd.plugin import *

async def text(invocation): return "not a reply"
async def path(invocation):
    invocation.session.remember(replace(invocation.session.state, directory=Path("/")))
    return Reply.confirmation("Remembered")
async def location(invocation):
    invocation.session.remember(State(document=Location(uri=Path("/"))))
    return Reply.confirmation("Remembered")
async def gated(invocation): return Reply.confirmation("Passed")
async def gate(invocation, proceed):
    return True if invocation.line.word == "gated" else await proceed(invocation)

@asynccontextmanager
async def full(context):
    raise Refusal("NO_ROOM", "There is no room.")
    yield Topic()

def bare(context): return Topic()
def annotated(context) -> "AbstractAsyncContextManager[Topic]": return littering(context)

@asynccontextmanager
async def empty(context): yield None

@asynccontextmanager
async def littering(context):
    yield Topic()
    raise RuntimeError("litter")

async def stay():
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass

@hookimpl
def stringd_topic_types():
    kinds = (full, bare, annotated, empty, littering)
    return [TopicType(name=it.__name__, summary="A test.", open=it) for it in kinds]
@hookimpl
def stringd_commands():
    functions = (text, path, location, gated)
    return [Command(name=it.__name__, summary="A test.", usage="", run=it) for it in functions]
@hookimpl
def stringd_interceptors(): return [Interceptor(name="odd", run=gate)]
@hookimpl
def stringd_services(): return [Service(name="stubborn", run=stay)]
"""
INTERNAL = "ERROR(INTERNAL_ERROR): The command failed unexpectedly; the daemon's log says why."


@pytest.fixture
def unruly(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    entry_points = {"stringd.plugins": {"unruly": "unruly"}}
    folder = write_distribution(tmp_path / "unruly", "unruly", "1.0", entry_points, {"unruly": SOURCE})
    daemon = start_daemon("--plugins", "unruly", pythonpath=[folder])
    daemon.register("default", daemon.home)
    return daemon


@pytest.mark.parametrize(
    ("cmd", "logged"),
    [
        ("/text", "TypeError: expected a Reply, got 'not a reply'"),
        ("/path", "TypeError: state needs text, not PosixPath('/')"),
        ("/location", "TypeError: location needs text, not PosixPath('/')"),
        ("/gated", "TypeError: expected a Reply, got True"),
    ],
)
def test_invalid_reply_is_an_internal_error(cmd: str, logged: str, unruly: DaemonProcess) -> None:
    failed = unruly.exec(cmd)
    assert failed.names == ["head", "content", "done"]
    assert failed.content == f"re: {cmd}\n{INTERNAL}"
    assert logged in unruly.stderr()
    assert unruly.exec("/info").head["ok"]


def test_topic_type_may_refuse_to_open(unruly: DaemonProcess) -> None:
    for _ in range(2):
        assert unruly.exec("/info", "full:main").content == "re: /info\nERROR(NO_ROOM): There is no room."


def test_failing_open_is_an_internal_error(unruly: DaemonProcess) -> None:
    for _ in range(2):
        assert unruly.exec("/info", "bare:main").content == f"re: /info\n{INTERNAL}"
        assert unruly.exec("/info", "empty:main").content == f"re: /info\n{INTERNAL}"
    assert "TypeError: expected a Topic, got None" in unruly.stderr()
    needed = "open of topic type bare must return an async context manager (@asynccontextmanager makes one"
    assert needed in unruly.stderr()
    assert unruly.exec("/info", "annotated:main").head["ok"]


def test_failing_close_still_ends_the_topic(unruly: DaemonProcess) -> None:
    assert unruly.exec("/info", "littering:main").head["ok"]
    assert unruly.exec("/close", "littering:main").content == "re: /close\nClosed: littering:main"
    assert "RuntimeError: litter" in unruly.stderr()
    assert unruly.exec("/info", "littering:main").head["ok"]


def test_service_that_ignores_cancellation_is_abandoned(unruly: DaemonProcess) -> None:
    began = time.monotonic()
    assert unruly.stop() == 0
    assert time.monotonic() - began < 8
