"""Requests that wait, and requests whose handling fails: both concern nothing but their own reply."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from stringd_runs.serving.request_queue import MOST_OUTSTANDING
from tests.runs.clients import run_client

BROKEN = """
import asyncio
from stringd.plugin import hookimpl
from stringd_runs.running.runs import Runs
from stringd_runs.strategies.available_strategies import AvailableStrategies

gate = asyncio.Event()

async def wait(*_):
    await gate.wait()
    return ()

async def fail(*_):
    raise ValueError("a value that nobody must see")

def fail_at_once(*_):
    gate.set()
    raise SystemError("another value")

@hookimpl
def stringd_services(runtime):
    Runs.stored, Runs.steer, AvailableStrategies.listed = wait, fail_at_once, fail
    return []
"""


@pytest.fixture
def broken(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    """A daemon that lists no strategies, steers no runs, and lists runs once it was asked to steer one."""
    plugin = tmp_path / "broken.py"
    plugin.write_text(BROKEN, encoding="utf-8")
    return start_daemon("--plugins", str(plugin))


@pytest.mark.requirement("runs.requests.outstanding", "runs.requests.order")
def test_requests_that_wait_hold_no_others_up_and_are_bounded(broken: DaemonProcess) -> None:
    with run_client(broken) as client:
        for number in range(MOST_OUTSTANDING + 1):
            client.send("list_runs", requestId=f"{number}")
        client.send("ping")
        refused, pong = client.receive(), client.receive()
        assert (refused["type"], refused["code"]) == ("error", "INTERNAL_ERROR")
        assert refused["requestId"] == f"{MOST_OUTSTANDING}"
        assert f"{MOST_OUTSTANDING} requests" in refused["message"]
        assert pong["type"] == "pong"
        client.ask("steer_run", runId="r", text="open the gate")
        replies = [client.receive() for _ in range(MOST_OUTSTANDING)]
        assert {it["requestId"] for it in replies} == {f"{it}" for it in range(MOST_OUTSTANDING)}
        assert {it["type"] for it in replies} == {"run_list"}
        assert client.ask("list_runs")["type"] == "run_list"


@pytest.mark.requirement("runs.requests.failures")
@pytest.mark.parametrize(("kind", "fields"), [("list_strategies", {}), ("steer_run", {"text": "x"})])
def test_a_request_whose_handling_fails_is_an_internal_error(
    broken: DaemonProcess, kind: str, fields: dict[str, str]
) -> None:
    with run_client(broken) as client:
        error = client.ask(kind, runId="r", **fields)
        assert (error["type"], error["code"]) == ("error", "INTERNAL_ERROR")
        assert "value" not in error["message"]
        assert client.is_silent()
    assert "value" in broken.stderr()
