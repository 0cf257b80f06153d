"""Stopping runs, at any time; each execution ends once."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stringd.testing.process import DaemonProcess
from stringd_runs.running.run_execution import CANCEL_SECONDS
from tests.runs.clients import ENDS, Message, RunClient, run_client
from tests.runs.running.strategy_files import (
    Agent,
    echo,
    person,
    sequential,
    stuck,
    talkative,
    write_strategy,
)

UNRULY = """
import asyncio
from stringd.plugin import hookimpl
from stringd_runs.agent import AgentFailed
from stringd_runs.agent_events import Text
from stringd_runs.agents.agent_types import AgentType
from stringd_runs.model_provider import ModelProvider

async def ignore(call):
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            if call.config.get("once"):
                return "late"

async def leave(call):
    raise SystemExit(3)

class Unprintable(AgentFailed):
    def __str__(self):
        raise SystemExit(4)

async def leave_in_silence(call):
    raise Unprintable

async def stream_nothing(call):
    yield Text(text="a")
    while True:
        try:
            await asyncio.sleep(3600)
        except (asyncio.CancelledError, GeneratorExit):
            pass

async def stream_on(call):
    while True:
        try:
            await asyncio.sleep(0.001)
        except (asyncio.CancelledError, GeneratorExit):
            pass
        yield Text(text="a")

@hookimpl
def stringd_agent_types():
    return [
        AgentType(name="deaf", answer=ignore),
        AgentType(name="leaver", answer=leave),
        AgentType(name="silent-leaver", answer=leave_in_silence),
    ]

@hookimpl
def stringd_model_providers():
    return [
        ModelProvider(name="silent", title="Silent", stream=stream_nothing),
        ModelProvider(name="talker", title="Talker", stream=stream_on),
    ]
"""
DEAF: tuple[Agent, ...] = (
    {"model": "silent/m"},
    {"type": "deaf", "config": {}},
    {"type": "deaf", "config": {"once": True}},
)
VERBS = ("start_run", "continue_run", "stop_run", "steer_run", "user_input", "prepare_run", "subscribe")
FIELDS = {
    "start_run": {"input": ""},
    "continue_run": {"input": ""},
    "steer_run": {"text": "s"},
    "user_input": {"agentName": "p", "text": "t"},
}


@pytest.fixture
def client(daemon: DaemonProcess) -> Iterator[RunClient]:
    with run_client(daemon) as connected:
        yield connected


def stopped(client: RunClient, run_id: str) -> list[Message]:
    """Stop a run, and return the events until it has ended."""
    client.send("stop_run", runId=run_id)
    events = client.until(*ENDS)
    assert events[-1]["error"]["code"] == "CANCELLED"
    assert client.is_silent()
    return events


def send_together(client: RunClient, *messages: Message) -> None:
    """Send messages in one packet."""
    with client.socket.protocol_mutex:
        for message in messages:
            client.socket.protocol.send_text(json.dumps(message).encode())
        client.socket.socket.sendall(b"".join(client.socket.protocol.data_to_send()))


@pytest.mark.requirement("runs.stop.streaming")
def test_a_stream_is_stopped_at_once(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.prepare(write_strategy(daemon, {"a": talkative(), "b": echo()}))
    client.send("start_run", runId=run_id)
    while client.until("agent_streaming")[-1]["event"]["type"] != "text":
        pass
    events = stopped(client, run_id)
    assert not {it["type"] for it in events} & {"agent_output", "step_completed"}
    assert client.ask("list_runs")["runs"][0]["status"] == "cancelled"


@pytest.mark.requirement("runs.stop.streaming")
def test_all_agents_of_a_broadcast_are_stopped(daemon: DaemonProcess, client: RunClient) -> None:
    agents = {"a": stuck(), "b": talkative(), "c": person("Well?")}
    flow = {**sequential("a", "b", "c"), "type": "broadcast"}
    run_id = client.prepare(write_strategy(daemon, agents, flow))
    client.send("start_run", runId=run_id)
    client.until("request_input")
    stopped(client, run_id)


@pytest.mark.requirement("runs.stop.questions")
def test_questions_of_a_stopped_run_are_withdrawn(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.prepare(write_strategy(daemon, {"a": person("Well?")}))
    client.send("start_run", runId=run_id)
    client.until("request_input")
    stopped(client, run_id)
    assert client.ask("user_input", runId=run_id, agentName="a", text="x")["code"] == "NO_PENDING_INPUT"
    assert daemon.request("GET", "/questions").json()["questions"] == []


@pytest.mark.requirement("runs.stop.pending")
def test_a_prepared_run_is_cancelled(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.prepare(write_strategy(daemon, {"a": echo()}))
    assert [it["type"] for it in stopped(client, run_id)] == ["strategy_error"]
    assert client.ask("start_run", runId=run_id)["code"] == "START_FAILED"
    assert client.ask("prepare_run", runId=run_id)["message"] == "Run not found"


@pytest.mark.requirement("runs.stop.pending")
def test_a_prepared_continuation_is_cancelled(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.run(write_strategy(daemon, {"a": echo("{turn}")}))[-1]["runId"]
    client.ask("prepare_run", runId=run_id)
    stopped(client, run_id)
    client.ask("prepare_run", runId=run_id)
    client.send("continue_run", runId=run_id, input="")
    assert client.until(*ENDS)[-1]["result"] == "2"


@pytest.mark.requirement("runs.stop.silent")
def test_stopping_anything_else_is_silent(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.run(write_strategy(daemon, {"a": echo()}))[-1]["runId"]
    for it in (run_id, "unknown"):
        client.send("stop_run", runId=it, requestId="x")
        assert client.is_silent()
    assert client.ask("list_runs")["runs"][0]["status"] == "completed"


@pytest.mark.requirement("runs.stop.once")
def test_start_and_stop_in_one_packet_end_a_run_once(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": echo(), "b": person("Well?")})
    pair = ("start_run", "stop_run")
    for _ in range(20):
        run_id = client.prepare(path)
        send_together(client, *({"type": it, "runId": run_id, "requestId": it} for it in pair))
        events = client.until(*ENDS)
        assert [it["type"] for it in events] == ["strategy_started", "strategy_error"]
        assert {it["requestId"] for it in events} == {"start_run"}
        assert client.is_silent()


@pytest.mark.requirement("runs.stop.once")
def test_a_stop_during_the_last_piece_ends_a_run_once(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": echo("x " * 100, chunks=100)})
    for number in range(20):
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id)
        for _ in range(number * 5):
            client.receive()
        client.send("stop_run", runId=run_id)
        client.until(*ENDS)
        assert client.is_silent()


@pytest.mark.requirement("runs.stop.once")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(verbs=st.lists(st.sampled_from(VERBS), max_size=12))
def test_any_sequence_of_requests_ends_each_execution_once(
    daemon: DaemonProcess, client: RunClient, verbs: list[str]
) -> None:
    path = write_strategy(daemon, {"p": person("Well?"), "a": echo(chunks=3)})
    run_id = client.prepare(path)
    for verb in verbs:
        client.send(verb, runId=run_id, **FIELDS.get(verb, {}))
    client.send("stop_run", runId=run_id)
    events = _events_until_quiet(client, run_id)
    assert [it["seq"] for it in events] == list(range(1, len(events) + 1))
    begun = 0
    for event in events:
        begun += event["type"] == "strategy_started"
        if event["type"] in ENDS:
            begun = max(begun - 1, 0)
        elif event["type"] != "steer_queued":
            assert begun == 1, events
    assert begun == 0
    assert events[-1]["type"] in ENDS
    assert client.ask("start_run", runId=run_id)["code"] == "START_FAILED"


def _events_until_quiet(client: RunClient, run_id: str) -> list[Message]:
    """Return the events of a run until it is not in flight."""
    messages: list[Message] = []
    while True:
        client.send("list_strategies", requestId="quiet?")
        while (message := client.receive()).get("requestId") != "quiet?":
            messages.append(message)
        statuses = {it["runId"]: it["status"] for it in message["runs"]}
        if statuses[run_id] not in {"pending", "running"}:
            return [it for it in messages if "seq" in it]


@pytest.mark.requirement("runs.stop.deaf")
@pytest.mark.long
def test_an_agent_that_ignores_being_stopped_is_left_behind(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    daemon = _with_agents(start_daemon, tmp_path)
    assert CANCEL_SECONDS < 5
    with run_client(daemon) as client:
        for deaf in DEAF:
            run_id = client.prepare(write_strategy(daemon, {"a": deaf, "b": echo()}))
            client.send("start_run", runId=run_id)
            client.until("step_started" if "type" in deaf else "agent_streaming")
            stopped(client, run_id)
            assert client.ask("list_runs")["runs"][0]["status"] == "cancelled"


@pytest.mark.requirement("runs.stop.deaf")
def test_a_provider_that_streams_on_is_ended(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    daemon = _with_agents(start_daemon, tmp_path)
    with run_client(daemon) as client:
        run_id = client.prepare(write_strategy(daemon, {"a": {"model": "talker/m"}}))
        client.send("start_run", runId=run_id)
        client.until("agent_streaming")
        stopped(client, run_id)
    assert daemon.stop() == 0
    assert "ignores" not in daemon.stderr()


@pytest.mark.long
@pytest.mark.requirement("runs.stop.deaf", "runs.history.shutdown")
def test_runs_of_agents_that_ignore_the_end_of_the_daemon_are_cancelled(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    daemon = _with_agents(start_daemon, tmp_path)
    with run_client(daemon) as client:
        runs = []
        for deaf in DEAF[:2]:
            runs.append(client.prepare(write_strategy(daemon, {"a": deaf})))
            client.send("start_run", runId=runs[-1])
            client.until("step_started")
        daemon.process.send_signal(signal.SIGTERM)
        ends = [client.until("strategy_error")[-1] for _ in runs]
        assert {it["runId"]: it["error"]["code"] for it in ends} == dict.fromkeys(runs, "CANCELLED")
        assert client.close_code() == 1001
    assert daemon.process.wait(20) == 0
    for run_id in runs:
        *_, end = (daemon.data_dir / "runs" / f"{run_id}.jsonl").read_text().splitlines()
        assert json.loads(end)["record"] == "execution-ended"


@pytest.mark.requirement("runs.life.failure")
@pytest.mark.parametrize(("agent", "raised"), [("leaver", "SystemExit"), ("silent-leaver", "Unprintable")])
def test_an_agent_that_exits_ends_its_run_only(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path, agent: str, raised: str
) -> None:
    daemon = _with_agents(start_daemon, tmp_path)
    with run_client(daemon) as client:
        for kind in ("sequential", "broadcast"):
            flow = {**sequential("a"), "type": kind}
            events = client.run(write_strategy(daemon, {"a": {"type": agent}}, flow))
            assert events[-1]["error"]["code"] == "EXECUTION_ERROR"
            assert events[-1]["error"]["message"] == f"a failed with {raised}: see the log"


def _with_agents(start_daemon: Callable[..., DaemonProcess], folder: Path) -> DaemonProcess:
    """Start a daemon with the agents of the plugin above."""
    plugin = folder / "unruly.py"
    plugin.write_text(UNRULY, encoding="utf-8")
    daemon = start_daemon("--plugins", str(plugin))
    daemon.register("default", daemon.home)
    return daemon
