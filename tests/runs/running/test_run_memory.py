"""Runs that have ended leave memory, and are found in the store from then on."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually
from tests.runs.clients import ENDS, RunClient, run_client
from tests.runs.running.strategy_files import echo, write_strategy
from tests.runs.tools.tool_runs import command
from tests.runs.tools.tool_runs import write_strategy as write_tool_strategy

Start = Callable[..., DaemonProcess]
LIMITED = """
from stringd.plugin import hookimpl
from stringd_runs.running import run_memory

@hookimpl
def stringd_services(runtime):
    {}
    return []
"""


def limited(start_daemon: Start, folder: Path, limit: str) -> DaemonProcess:
    """Start a daemon with another limit."""
    plugin = folder / "limited.py"
    plugin.write_text(LIMITED.format(limit), encoding="utf-8")
    daemon = start_daemon("--plugins", str(plugin))
    daemon.register("default", daemon.home)
    return daemon


def in_memory(client: RunClient) -> set[str]:
    return {it["runId"] for it in client.ask("list_strategies")["runs"]}


def ended(client: RunClient, daemon: DaemonProcess) -> str:
    """Return a run that has ended, and that nobody follows."""
    run_id: str = client.run(write_strategy(daemon, {"a": echo("{turn}")}), "said")[-1]["runId"]
    client.send("unsubscribe", runId=run_id)
    return run_id


@pytest.mark.requirement("runs.memory.number")
def test_the_oldest_runs_that_nobody_follows_leave_memory(start_daemon: Start, tmp_path: Path) -> None:
    daemon = limited(start_daemon, tmp_path, "run_memory.MOST_ENDED = 3")
    with run_client(daemon) as client, run_client(daemon) as follower:
        followed = ended(client, daemon)
        follower.send("subscribe", runId=followed)
        assert follower.is_silent()
        with run_client(daemon) as vanishing:
            left = vanishing.run(write_strategy(daemon, {"a": echo()}))[-1]["runId"]
            vanishing.socket.socket.shutdown(socket.SHUT_RDWR)
            eventually(lambda: daemon.request("GET", "/health").json()["connectedClients"] == 2)
        others = [ended(client, daemon) for _ in range(3)]
        assert in_memory(client) == {followed, *others[1:]}
        assert {it["runId"] for it in client.ask("list_runs")["runs"]} == {followed, left, *others}


@pytest.mark.requirement("runs.memory.time", "runs.agents.tools.topics.end")
def test_a_run_that_has_left_memory_is_found_in_the_store(start_daemon: Start, tmp_path: Path) -> None:
    daemon = limited(start_daemon, tmp_path, "run_memory.KEPT_SECONDS = 0.05")
    with run_client(daemon) as client:
        run_id = ended(client, daemon)
        eventually(lambda: not in_memory(client))
        assert client.ask("steer_run", runId=run_id, text="x")["code"] == "RUN_NOT_STEERABLE"
        assert [it["runId"] for it in client.ask("list_runs")["runs"]] == [run_id]
        client.send("subscribe", runId=run_id, afterSeq=0)
        assert client.until(*ENDS)[-1]["result"] == "1"
        assert in_memory(client) == {run_id}, "a run that is followed stays"
        reply = client.ask("prepare_run", runId=run_id)
        assert [it["text"] for it in reply["conversation"]["inputs"]] == ["said"]
        client.send("continue_run", runId=run_id, input="")
        assert client.until(*ENDS)[-1]["result"] == "2"
        tools = client.run(write_tool_strategy(daemon.home, [command("/info")]), "go")[-1]["runId"]
        client.send("unsubscribe", runId=tools)
        eventually(lambda: tools not in in_memory(client))
        eventually(lambda: f"file:run-{tools}" not in daemon.request("GET", "/sessions").text)
