"""Cancelling commands: the one that runs, one that waits, one that ignores it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess, Events

PLUGIN = """
import asyncio
from stringd.plugin import Command, Reply, hookimpl

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

@hookimpl
def stringd_commands():
    return [
        Command(name=run.__name__, summary="Wait.", usage="", run=run)
        for run in (stubborn, cleaning, swallowing)
    ]
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


def test_cancelled_command_is_answered_after_it_cleaned_up(waiting: DaemonProcess) -> None:
    running = in_background(waiting, "/cleaning")
    queued = in_background(waiting, "/help")
    assert waiting.exec("/cancel", "file:main").content == "re: /cancel\nCancelled: /cleaning"
    assert running.result(10).content == "re: /cleaning\nERROR(CANCELLED): The command was cancelled."
    assert (waiting.home / "cleaned").exists()
    assert queued.result(10).head["ok"]


def test_command_that_swallows_its_cancellation_is_answered_as_cancelled(waiting: DaemonProcess) -> None:
    running = in_background(waiting, "/swallowing")
    assert cancel(waiting) == {"topic": "file:main", "cancelled": True, "cmd": "/swallowing"}
    assert running.result(10).head["code"] == "CANCELLED"


def test_command_that_ignores_its_cancellation_is_abandoned(waiting: DaemonProcess) -> None:
    running = in_background(waiting, "/stubborn")
    assert cancel(waiting)["cancelled"]
    assert running.result(10).content.split("\n")[1:] == [
        "ERROR(CANCELLED): The command was cancelled.",
        "It has not ended within 5 s and may still be going on.",
    ]
    assert "/stubborn does not end when it is cancelled" in waiting.stderr()
    assert waiting.exec("/help", "file:main").head["ok"]


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


def test_nothing_to_cancel(waiting: DaemonProcess) -> None:
    assert waiting.exec("/cancel", "file:main").content == (
        "re: /cancel\nERROR(NOT_FOUND): Nothing runs in this topic."
    )
    assert not cancel(waiting)["cancelled"]
