"""Steering a run: texts queue, and the next call of a model takes them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.runs.clients import ENDS, RunClient, run_client
from tests.runs.running.strategy_files import echo, person, write_strategy


@pytest.fixture
def client(daemon: DaemonProcess) -> Iterator[RunClient]:
    with run_client(daemon) as connected:
        yield connected


@pytest.mark.requirement("runs.steer.taken")
def test_the_next_call_of_a_model_takes_all_texts_in_order(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": echo("A"), "p": person(always=True), "b": echo(), "c": echo()})
    run_id = client.prepare(path)
    client.send("start_run", runId=run_id, input="go")
    client.until("request_input")
    for text in ("first\nline", "second"):
        client.send("steer_run", runId=run_id, text=text)
    client.send("user_input", runId=run_id, agentName="p", text="to b")
    events = client.until(*ENDS)
    outputs = {it["agentName"]: it["text"] for it in events if it["type"] == "agent_output"}
    assert outputs["b"].startswith("to b")
    assert outputs["b"].index("first\nline") < outputs["b"].index("second")
    assert outputs["c"].count("second") == outputs["b"].count("second") == 1
    assert "unusedSteering" not in events[-1]


@pytest.mark.requirement("runs.steer.queued")
def test_all_subscribers_hear_of_a_text(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.prepare(write_strategy(daemon, {"a": echo("{input}"), "p": person(always=True)}))
    client.send("steer_run", runId=run_id, text="early", requestId="s")
    queued = client.receive()
    assert (queued["type"], queued["text"], queued["seq"]) == ("steer_queued", "early", 1)
    assert "requestId" not in queued
    with run_client(daemon) as other:
        other.ask("prepare_run", runId=run_id)
        client.send("start_run", runId=run_id, input="go", requestId="start")
        assert client.receive()["seq"] == 2
        asked = other.until("request_input")[-1]
        assert "early" in asked["prompt"]
        other.send("steer_run", runId=run_id, text="late")
        queued = other.receive()
        assert (queued["type"], queued["text"], queued["requestId"]) == ("steer_queued", "late", "start")
        assert client.until("steer_queued")[-1] == queued
        client.send("stop_run", runId=run_id)
        client.until(*ENDS)


@pytest.mark.requirement("runs.steer.unused")
def test_texts_that_no_call_took_are_reported(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.prepare(write_strategy(daemon, {"a": echo("A"), "p": person(always=True)}))
    client.send("start_run", runId=run_id)
    client.until("request_input")
    for text in ("one", "two"):
        client.send("steer_run", runId=run_id, text=text)
    client.send("user_input", runId=run_id, agentName="p", text="done")
    assert client.until(*ENDS)[-1]["unusedSteering"] == ["one", "two"]
    client.ask("prepare_run", runId=run_id)
    client.send("continue_run", runId=run_id, input="")
    client.until("request_input")
    client.send("user_input", runId=run_id, agentName="p", text="done")
    assert "unusedSteering" not in client.until(*ENDS)[-1]


@pytest.mark.requirement("runs.steer.refused")
def test_runs_that_are_not_in_flight_cannot_be_steered(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.run(write_strategy(daemon, {"a": echo("A")}))[-1]["runId"]
    for it in (run_id, "unknown"):
        assert client.ask("steer_run", runId=it, text="x")["code"] == "RUN_NOT_STEERABLE"


@pytest.mark.requirement("runs.steer.refused")
def test_a_text_is_taken_reported_or_refused(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": echo("{input}", chunks=5), "b": echo("{input}")})
    for number in range(15):
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id, input="go")
        for _ in range(number):
            client.receive()
        client.send("steer_run", runId=run_id, text="MARK", requestId="steer")
        messages = client.until(*ENDS)
        client.send("ping")
        messages += client.until("pong")
        end = next(it for it in messages if it["type"] in ENDS)
        was_refused = any(it.get("code") == "RUN_NOT_STEERABLE" for it in messages)
        was_taken = any("MARK" in it.get("text", "") for it in messages if it["type"] == "agent_output")
        assert was_refused + was_taken + ("unusedSteering" in end) == 1


@pytest.mark.requirement("runs.steer.refused")
def test_a_bounded_number_of_texts_waits(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.prepare(write_strategy(daemon, {"a": echo("A")}))
    for _ in range(1000):
        client.send("steer_run", runId=run_id, text="x")
    assert client.ask("steer_run", runId=run_id, text="x")["code"] == "RUN_NOT_STEERABLE"
