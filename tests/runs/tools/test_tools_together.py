"""Tools of several agents, in long conversations, and when the daemon stops."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.questions.people import until
from tests.runs.clients import run_client
from tests.runs.tools.tool_runs import command, results, write_strategy

SLOW = command("touch started; sleep 30; touch late", "bash")


def write_team(home: Path, flow: dict[str, Any], **agents: dict[str, Any]) -> Path:
    """Write a strategy with several scripted agents."""
    home.mkdir(parents=True, exist_ok=True)
    path = home / "team.json"
    defined = {name: {"model": "scripted/echo", **it} for name, it in agents.items()}
    steps = [{"agent": name} for name in agents]
    strategy = {
        "name": "Team",
        "version": "1",
        "agents": defined,
        "flow": {"name": "all", "steps": steps, **flow},
    }
    path.write_text(json.dumps(strategy), encoding="utf-8")
    return path


def shell_agent(text: str) -> dict[str, Any]:
    """Return an agent that sends one text to a shell."""
    script = {"toolCalls": [[command(text, "bash")]], "reply": "finished"}
    return {"tools": ["topic:bash"], "providerOptions": {"scripted": script}}


@pytest.mark.requirement("runs.agents.tools.order")
def test_agents_at_the_same_time_take_turns_in_a_topic(daemon: DaemonProcess) -> None:
    agents = {f"a{it}": shell_agent(f"n=$((n + 1)); echo $n > {it}.txt") for it in range(5)}
    path = write_team(daemon.home, {"type": "broadcast"}, **agents)
    with run_client(daemon) as client:
        events = client.run(path, "go")
    assert events[-1]["type"] == "strategy_completed"
    counted = {(daemon.home / f"{it}.txt").read_text() for it in range(5)}
    assert counted == {f"{it}\n" for it in range(1, 6)}, "all of them share one shell"


@pytest.mark.requirement("runs.agents.tools.cancel")
def test_a_command_that_waits_for_its_turn_is_cancelled_too(daemon: DaemonProcess) -> None:
    path = write_team(
        daemon.home,
        {"type": "broadcast"},
        a=shell_agent("touch started; sleep 30"),
        b=shell_agent("sleep 30"),
    )
    with run_client(daemon) as client:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id, input="go")
        until((daemon.home / "started").exists, "no tool began")
        until(lambda: _queue(daemon, f"bash:run-{run_id}") == (True, 1), "no tool waits")
        begin = time.monotonic()
        client.send("stop_run", runId=run_id)
        client.until("strategy_error")
        assert time.monotonic() - begin < 4
        assert _queue(daemon, f"bash:run-{run_id}") == (False, 0)


def _queue(daemon: DaemonProcess, topic: str) -> tuple[bool, int]:
    """Return whether a topic runs a command, and how many wait."""
    sessions = daemon.request("GET", "/sessions").json()["sessions"]
    return next(
        ((it["executing"], it["queue_length"]) for it in sessions if it["topic"] == topic), (False, 0)
    )


@pytest.mark.requirement("runs.agents.tools.cancel")
def test_the_daemon_stops_while_a_tool_works(own_daemon: DaemonProcess) -> None:
    path = write_strategy(own_daemon.home, [SLOW], tools=("topic:bash",))
    with run_client(own_daemon) as client:
        client.send("start_run", runId=client.prepare(path), input="go")
        until((own_daemon.home / "started").exists, "the tool never began")
        assert own_daemon.stop(15) == 0
        end = client.until("strategy_error")[-1]
    assert end["error"]["code"] == "CANCELLED"
    assert not (own_daemon.home / "late").exists()


@pytest.mark.requirement("runs.agents.context")
def test_cuts_are_retention_events_of_the_history(daemon: DaemonProcess) -> None:
    path = write_team(daemon.home, {"type": "cycle", "cycles": 3}, a={"context": {"maxMessages": 3}})
    with run_client(daemon) as client:
        events = client.run(path, "go")
        conversation = client.ask("prepare_run", runId=events[0]["runId"])["conversation"]
    assert [it["text"] for it in conversation["records"]] == ["go"] * 6
    kept = [(it["agentName"], it["removedRecords"]) for it in conversation["retentionEvents"]]
    assert kept == [("a", 2)]


@pytest.mark.requirement("runs.agents.tools.topics")
def test_a_continuation_works_in_the_same_topics(daemon: DaemonProcess) -> None:
    path = write_strategy(
        daemon.home,
        [command("word=kept", "bash")],
        [],
        [command("echo $word", "bash")],
        tools=("topic:bash",),
    )
    with run_client(daemon) as client:
        run_id = client.run(path, "go")[0]["runId"]
        client.ask("prepare_run", runId=run_id)
        client.send("continue_run", runId=run_id, input="more")
        events = client.until("strategy_completed")
    assert "kept" in results(events)[0]["output"]
