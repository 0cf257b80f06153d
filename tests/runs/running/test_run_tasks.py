"""Runs leave nothing behind in the daemon: no task, whatever has happened in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually
from tests.runs.clients import ENDS, RunClient, run_client
from tests.runs.running.strategy_files import echo, person, sequential, stuck, write_strategy

COUNTING = """
import asyncio
from starlette.responses import JSONResponse
from starlette.routing import Route
from stringd.plugin import hookimpl

async def count(request):
    return JSONResponse(len(asyncio.all_tasks()))

@hookimpl
def stringd_routes(runtime):
    return [Route("/tasks", count)]
"""


@pytest.mark.requirement("runs.life.tasks")
def test_runs_leave_no_tasks_behind(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> None:
    plugin = tmp_path / "counting.py"
    plugin.write_text(COUNTING, encoding="utf-8")
    daemon = start_daemon("--plugins", str(plugin))
    daemon.register("default", daemon.home)

    def tasks() -> int:
        return int(daemon.request("GET", "/tasks").json())

    with run_client(daemon) as client:
        _use(daemon, client)
        before = eventually(tasks)
        for _ in range(5):
            _use(daemon, client)
        assert eventually(lambda: tasks() <= before)


def _use(daemon: DaemonProcess, client: RunClient) -> None:
    """Complete, fail and stop runs, in the middle of everything that agents wait for."""
    client.run(write_strategy(daemon, {"a": echo(chunks=3)}), "x y z")
    client.run(write_strategy(daemon, {"a": echo("part", error="no")}))
    agents = {"a": stuck(), "b": person("Well?"), "c": echo(error="no", chunkDelayMs=50)}
    for steps in (("a", "b"), ("a", "b", "c")):
        flow = {**sequential(*steps), "type": "broadcast"}
        run_id = client.prepare(write_strategy(daemon, agents, flow))
        client.send("start_run", runId=run_id)
        if "c" not in steps:
            client.until("request_input")
            client.send("stop_run", runId=run_id)
        assert client.until(*ENDS)[-1]["type"] == "strategy_error"
    client.send("stop_run", runId=client.prepare(write_strategy(daemon, {"a": echo()})))
    client.until(*ENDS)
