"""The life of a run: prepared, started, ended, continued; its events and their order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from stringd.testing.process import DaemonProcess
from tests.runs.clients import ENDS, Message, RunClient, run_client
from tests.runs.running.strategy_files import echo, person, sequential, stuck, write_strategy

TEXTS = ["{input} %s {{ x }} {% y %}", "a\u2028b\u2029c\0d", "ä" * 200_000, " \n\t", '"\\']


@pytest.fixture
def client(daemon: DaemonProcess) -> Iterator[RunClient]:
    with run_client(daemon) as connected:
        yield connected


def kinds(messages: list[Message]) -> list[str]:
    """Return the types of messages, those of streamed events with the type of the event."""
    return [f"{it['type']}:{it['event']['type']}" if "event" in it else it["type"] for it in messages]


def start(client: RunClient, run_id: str, text: str = "", **fields: str) -> list[Message]:
    """Start a prepared run, and return its events."""
    client.send("start_run", runId=run_id, input=text, **fields)
    return client.until(*ENDS)


def carry_on(client: RunClient, run_id: str, text: str) -> list[Message]:
    """Prepare and start a continuation, and return its events."""
    assert client.ask("prepare_run", runId=run_id)["type"] == "run_prepared"
    client.send("continue_run", runId=run_id, input=text)
    return client.until(*ENDS)


@pytest.mark.requirement("runs.life.order")
def test_the_events_of_an_execution_are_in_order(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": echo("<{input}>", chunks=2), "b": echo("[{input}]")})
    events = client.run(path, "hi")
    streamed = ["agent_streaming:step-start", "agent_streaming:text"]
    assert kinds(events) == [
        "strategy_started",
        *("step_started", *streamed, "agent_streaming:text", "agent_output", "agent_streaming:done"),
        *("step_completed", "step_started", *streamed, "agent_output", "agent_streaming:done"),
        *("step_completed", "strategy_completed"),
    ]
    first = events[0]
    assert (first["strategyName"], first["agents"]) == ("talk", ["a", "b"])
    assert first["flowTree"]["steps"][0] == {"type": "agent", "name": "a"}
    started = [(it["stepName"], it["message"]) for it in events if it["type"] == "step_started"]
    assert started == [("a", "hi"), ("b", "<hi>")]
    outputs = [it for it in events if it["type"] == "agent_output"]
    assert [(it["agentName"], it["model"], it["text"]) for it in outputs] == [
        ("a", "scripted/echo", "<hi>"),
        ("b", "scripted/echo", "[<hi>]"),
    ]
    completed = [it["result"] for it in events if it["type"] == "step_completed"]
    assert [(it["text"], it["finishReason"]) for it in completed] == [("<hi>", "stop"), ("[<hi>]", "stop")]
    assert events[-1]["result"] == "[<hi>]"
    assert "unusedSteering" not in events[-1]


@pytest.mark.requirement("runs.life.usage")
def test_the_usage_of_an_execution_is_that_of_all_calls(daemon: DaemonProcess, client: RunClient) -> None:
    events = client.run(write_strategy(daemon, {"a": echo("one two"), "b": echo("three")}), "w x y")
    used = [it["usage"] for it in events if it["type"] == "agent_output"]
    assert used == [
        {"promptTokens": 3, "completionTokens": 2},
        {"promptTokens": 2, "completionTokens": 1},
    ]
    assert events[-1]["usage"] == {"promptTokens": 5, "completionTokens": 3}


@pytest.mark.requirement("runs.life.seq")
@pytest.mark.requirement("runs.life.request_id")
def test_events_are_numbered_and_carry_the_request_of_their_execution(
    daemon: DaemonProcess, client: RunClient
) -> None:
    path = write_strategy(daemon, {"a": echo(chunks=3)})
    run_id = client.prepare(path)
    first = start(client, run_id, "abc", requestId="first")
    assert {it["requestId"] for it in first} == {"first"}
    client.ask("prepare_run", runId=run_id)
    client.send("continue_run", runId=run_id, input="def", requestId="")
    second = client.until(*ENDS)
    assert {it["requestId"] for it in second} == {""}
    assert [it["seq"] for it in first + second] == list(range(1, len(first + second) + 1))
    assert all(earlier["ts"] <= later["ts"] for earlier, later in pairwise(first + second))


@pytest.mark.requirement("runs.life.nested")
def test_a_nested_flow_is_one_step_whose_agents_stream(daemon: DaemonProcess, client: RunClient) -> None:
    agents = {"a": echo("a{input}"), "b": echo("b{input}"), "c": echo("c{input}")}
    flow = sequential(sequential("a", "b", name="pair"), "c")
    events = client.run(write_strategy(daemon, agents, flow), "x")
    steps = [(it["type"], it["stepName"]) for it in events if "stepName" in it]
    assert steps == [(kind, name) for name in ("pair", "c") for kind in ("step_started", "step_completed")]
    assert [it["agentName"] for it in events if it["type"] == "agent_output"] == ["a", "b", "c"]
    assert events[-1]["result"] == "cbax"


@pytest.mark.requirement("runs.life.bytes")
@pytest.mark.parametrize("text", TEXTS)
def test_texts_pass_through_a_run_unchanged(daemon: DaemonProcess, client: RunClient, text: str) -> None:
    events = client.run(write_strategy(daemon, {"a": echo(), "b": person()}), text)
    assert events[-1]["result"] == text


@pytest.mark.requirement("runs.life.failure")
def test_a_flow_that_fails_ends_the_run_with_an_error(daemon: DaemonProcess, client: RunClient) -> None:
    events = client.run(write_strategy(daemon, {"a": echo("part", error="no more paper"), "b": echo()}))
    assert kinds(events)[-1] == "strategy_error"
    assert events[-1]["error"]["code"] == "EXECUTION_ERROR"
    assert "no more paper" in events[-1]["error"]["message"]
    assert "agent_output" not in kinds(events)
    assert client.is_silent()


@pytest.mark.requirement("runs.life.settled")
def test_everything_is_settled_before_the_last_event(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": echo()})
    for number in range(20):
        run_id = client.run(path, str(number))[-1]["runId"]
        assert client.ask("steer_run", runId=run_id, text="late")["code"] == "RUN_NOT_STEERABLE"
        listed = client.ask("list_runs")["runs"][0]
        assert (listed["runId"], listed["status"]) == (run_id, "completed")
        assert listed in client.ask("list_strategies")["runs"]
        reply = client.ask("prepare_run", runId=run_id)
        assert reply["conversation"]["inputs"][0]["text"] == str(number)


@pytest.mark.requirement("runs.start.failures")
def test_a_start_that_is_impossible_is_refused(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": person()})
    assert client.ask("start_run", runId="unknown")["code"] == "START_FAILED"
    run_id = client.prepare(path)
    refused = client.ask("continue_run", runId=run_id, input="x")
    assert (refused["code"], "start it" in refused["message"]) == ("CONTINUE_FAILED", True)
    client.send("start_run", runId=run_id)
    assert client.ask("start_run", runId=run_id)["code"] == "START_FAILED"
    assert client.ask("continue_run", runId=run_id, input="x")["code"] == "CONTINUE_FAILED"
    client.until("request_input")
    client.send("user_input", runId=run_id, agentName="a", text="done")
    assert client.until(*ENDS)[-1]["result"] == "done"
    assert client.ask("start_run", runId=run_id)["code"] == "START_FAILED"
    assert client.ask("continue_run", runId=run_id, input="x")["code"] == "CONTINUE_FAILED"
    assert client.ask("prepare_run", runId=run_id)["type"] == "run_prepared"
    assert client.ask("start_run", runId=run_id)["code"] == "START_FAILED"
    client.send("continue_run", runId=run_id, input="more")
    assert client.until(*ENDS)[-1]["result"] == "more"


@pytest.mark.requirement("runs.continue.remembered")
def test_agents_remember_over_continuations(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": echo("{turn}: {input}"), "b": person(presetMessage="preset")})
    run_id = client.run(path, "one")[-1]["runId"]
    for turn, text in ((2, "two"), (3, ""), (4, "four")):
        assert carry_on(client, run_id, text)[-1]["result"] == f"{turn}: {text}"
    conversation = client.ask("prepare_run", runId=run_id)["conversation"]
    assert [it["text"] for it in conversation["inputs"]] == ["one", "two", "", "four"]
    said = [it["text"] for it in conversation["records"] if it["role"] == "assistant"]
    assert said == ["1: one", "2: two", "3: ", "4: four"]
    assert {it["agentName"] for it in conversation["records"]} == {"a", "b"}


@pytest.mark.requirement("runs.continue.after_failure")
def test_a_run_that_failed_or_was_stopped_can_be_continued(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": echo("{turn}"), "b": stuck()})
    run_id = client.prepare(path)
    client.send("start_run", runId=run_id)
    client.until("step_completed")
    client.send("stop_run", runId=run_id)
    assert client.until(*ENDS)[-1]["error"]["code"] == "CANCELLED"
    write_strategy(daemon, {"a": echo("{turn}"), "c": echo("{input}!", error="no")})
    failed = carry_on(client, run_id, "x")
    assert failed[-1]["error"]["code"] == "EXECUTION_ERROR"
    write_strategy(daemon, {"a": echo("{turn}")})
    assert carry_on(client, run_id, "x")[-1]["result"] == "3"


@pytest.mark.requirement("runs.life.parallel")
def test_ten_runs_at_once_do_not_mix(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": echo("{input} {turn}", chunks=50, chunkDelayMs=1), "b": echo()})
    runs = {client.prepare(path): str(number) for number in range(10)}
    for run_id, text in runs.items():
        client.send("start_run", runId=run_id, input=text)
    events: list[Message] = []
    while sum(it["type"] in ENDS for it in events) < len(runs):
        events.append(client.receive())
    for run_id, text in runs.items():
        own = [it for it in events if it["runId"] == run_id]
        assert [it["seq"] for it in own] == list(range(1, len(own) + 1))
        assert own[-1]["result"] == f"{text} 1"
