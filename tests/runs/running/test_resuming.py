"""Runs whose daemon is lost, or whose user's topics go to another node: they go on there by themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from stringd.testing.process import DaemonProcess
from tests.questions.people import Operator, until
from tests.runs.clients import ENDS, RunClient, run_client
from tests.runs.running.shared_histories import SharingDaemons
from tests.runs.running.strategy_files import echo, person, sequential, stuck, talkative, write_strategy
from tests.runs.tools.tool_runs import command

PYTHON = """
async def flow(text, call):
    first = await call("a", text)
    await call("wait", first)
    return first + await call("a", "again")

strategy = {
    "name": "coded", "version": "1",
    "agents": {
        "a": {"model": "scripted/echo", "providerOptions": {"scripted": {"reply": "<{input} {turn}>"}}},
        "wait": {"type": "user", "config": {"always": True}},
    },
    "flow": flow,
}
"""


@pytest.fixture
def daemons(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> SharingDaemons:
    """Two daemons with histories that both can read and write."""
    return SharingDaemons(start_daemon, tmp_path)


def started(daemons: SharingDaemons, path: Path, last: str) -> tuple[str, list[dict[str, Any]]]:
    """Start a run on the first daemon; return it, and its events up to one of this type."""
    with run_client(daemons.first) as client:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id, input="go", requestId="mine")
        return run_id, client.until(last)


def rest_of(client: RunClient, run_id: str, after: int) -> list[dict[str, Any]]:
    """Return the events of a run after a number, up to its end."""
    client.send("subscribe", runId=run_id, afterSeq=after)
    return client.until(*ENDS)


def records(daemons: SharingDaemons, run_id: str, kind: str) -> list[dict[str, Any]]:
    """Return the records of a kind in the history of a run."""
    lines = (json.loads(it) for it in daemons.history(run_id).splitlines())
    return [it for it in lines if it.get("record") == kind]


def is_running(daemon: DaemonProcess) -> bool:
    """Whether a daemon has a run that goes on."""
    active: int = daemon.request("GET", "/health").json()["activeRuns"]
    return active == 1


@pytest.mark.requirement("cluster.runs.resumed")
@pytest.mark.parametrize("how", ["fail_over", "move"])
def test_a_run_goes_on_after_its_last_finished_call(daemons: SharingDaemons, how: str) -> None:
    agents = {
        "a": echo("a{turn}"),
        "b": echo("{input} b{turn}"),
        "p": person(always=True),
        "c": echo("{input}!"),
    }
    flow = sequential("a", sequential("b", "p", name="inner"), "c")
    run_id, before = started(daemons, write_strategy(daemons.first, agents, flow), "request_input")
    assert [it["type"] for it in before].count("step_completed") == 1
    second: DaemonProcess = getattr(daemons, how)()
    until(lambda: is_running(second), "the run does not go on")
    with run_client(second) as client:
        client.send("subscribe", runId=run_id, afterSeq=before[-1]["seq"])
        resumed, asked = client.until("request_input")
        assert (resumed["type"], resumed["finishedCalls"]) == ("strategy_resumed", 2)
        assert resumed["requestId"] == "mine"
        assert asked["prompt"] == "a1 b1"
        client.send("user_input", runId=run_id, agentName="p", text="yes")
        after = client.until(*ENDS)
        assert after[-1]["result"] == "yes!"
        assert after[-1]["usage"] == {"promptTokens": 3, "completionTokens": 4}
    events = [*before, resumed, asked, *after]
    steps = [(it["type"], it["stepName"]) for it in events if it["type"].startswith("step_")]
    assert steps == [(f"step_{what}", it) for it in ("a", "inner", "c") for what in ("started", "completed")]
    numbers = [it["seq"] for it in events]
    assert numbers == sorted({*numbers})
    assert [it["agent"] for it in records(daemons, run_id, "agent-called")] == ["a", "b", "p", "c"]


@pytest.mark.requirement("cluster.runs.resumed")
def test_calls_at_the_same_time_and_rounds_of_a_cycle_are_not_made_again(daemons: SharingDaemons) -> None:
    both = {"name": "both", "type": "broadcast", "steps": [{"agent": "a"}, {"agent": "b"}, {"agent": "a"}]}
    cycle = {"name": "cycle", "type": "cycle", "cycles": 3, "steps": [both, {"agent": "p"}]}
    agents = {"a": echo("a{turn}"), "b": echo("b{turn}"), "p": person(always=True)}
    path = write_strategy(daemons.first, agents, cycle)
    with run_client(daemons.first) as client:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id, input="go")
        client.until("request_input")
        client.send("user_input", runId=run_id, agentName="p", text="more")
        last = client.until("request_input")[-1]
    with run_client(daemons.fail_over()) as client:
        client.send("subscribe", runId=run_id, afterSeq=last["seq"])
        assert client.until("request_input")[-1]["prompt"] == last["prompt"]
        client.send("user_input", runId=run_id, agentName="p", text="more")
        assert client.until("request_input")[-1]["prompt"].split() == ["a5", "b3", "a5"]
        client.send("stop_run", runId=run_id)
        assert client.until(*ENDS)[-1]["error"]["code"] == "CANCELLED"
    called = [it["agent"] for it in records(daemons, run_id, "agent-called")]
    assert (called.count("a"), called.count("b"), called.count("p")) == (6, 3, 2)


@pytest.mark.requirement("cluster.runs.resumed")
def test_no_call_begins_before_the_ones_before_it_are_kept(daemons: SharingDaemons) -> None:
    first, second = daemons.first.home / "first", daemons.first.home / "second"
    agents = {
        "p": person(always=True),
        "a": {**echo(toolCalls=[[command(f"/exec touch {first}")]]), "tools": ["topic:file"]},
        "b": {**echo(toolCalls=[[command(f"/exec touch {second}")]]), "tools": ["topic:file"]},
    }
    run_id, _ = started(daemons, write_strategy(daemons.first, agents), "request_input")
    with run_client(daemons.first) as client:
        client.send("subscribe", runId=run_id)
        daemons.tell(daemons.first, "held")
        client.send("user_input", runId=run_id, agentName="p", text="go")
        assert daemons.first.exec("/exec sleep 0.3").done
        assert client.is_silent()
        assert not first.exists()
        daemons.tell(daemons.first, "kept")
        client.until(*ENDS)
    assert first.exists()
    assert second.exists()


@pytest.mark.requirement("cluster.runs.ended")
def test_runs_that_have_ended_or_were_stopped_do_not_go_on(daemons: SharingDaemons) -> None:
    path = write_strategy(daemons.first, {"a": echo("x"), "w": stuck()})
    done = write_strategy(daemons.first, {"a": echo("x")}, name="done")
    with run_client(daemons.first) as client:
        client.run(done)
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id)
        client.until("step_completed")
        client.send("stop_run", runId=run_id)
        client.until(*ENDS)
    going_on, _ = started(daemons, path, "step_completed")
    second = daemons.fail_over()
    until(lambda: is_running(second), "the run does not go on")
    with run_client(second) as client:
        rest = iter(client.ask("list_runs")["runs"])
        assert next(rest)["runId"] == going_on
        assert sorted(it["status"] for it in rest) == ["cancelled", "completed"]
        assert [it["runId"] for it in client.ask("list_strategies")["runs"]] == [going_on]
        assert client.ask("prepare_run", runId=going_on)["type"] == "run_prepared"
        client.send("stop_run", runId=going_on)
        assert client.until(*ENDS)[-1]["runId"] == going_on


@pytest.mark.requirement("cluster.runs.steering")
def test_steering_that_no_finished_call_has_used_is_kept(daemons: SharingDaemons) -> None:
    agents = {"a": echo("{input}"), "p": person(always=True), "c": echo("{input}")}
    with run_client(daemons.first) as client:
        run_id = client.prepare(write_strategy(daemons.first, agents))
        client.send("steer_run", runId=run_id, text="early")
        client.send("start_run", runId=run_id, input="go")
        last = client.until("request_input")[-1]
        assert "early" in last["prompt"]
        client.send("steer_run", runId=run_id, text="late")
        last = client.until("steer_queued")[-1]
    with run_client(daemons.fail_over()) as client:
        client.send("subscribe", runId=run_id, afterSeq=last["seq"])
        client.until("request_input")
        client.send("user_input", runId=run_id, agentName="p", text="ok")
        result = client.until(*ENDS)[-1]["result"]
        assert "late" in result
        assert "early" not in result


@pytest.mark.requirement("cluster.runs.fenced")
def test_a_daemon_that_has_lost_a_run_says_nothing_more_of_it(daemons: SharingDaemons) -> None:
    path = write_strategy(daemons.first, {"a": echo("x"), "p": person(always=True), "t": talkative()})
    run_id, before = started(daemons, path, "request_input")
    with run_client(daemons.first) as client, run_client(daemons.second) as other:
        client.send("subscribe", runId=run_id)
        daemons.tell(daemons.first, "taken")
        daemons.tell(daemons.second, "restored")
        client.send("user_input", runId=run_id, agentName="p", text="lost")
        assert client.is_silent()
        daemons.tell(daemons.first, "released")
        with pytest.raises(ConnectionClosed) as closed:
            client.receive()
        assert closed.value.rcvd
        assert closed.value.rcvd.code == 1012
        other.send("subscribe", runId=run_id, afterSeq=before[-1]["seq"])
        other.until("request_input")
        other.send("user_input", runId=run_id, agentName="p", text="kept")
        assert other.until("step_completed")[-1]["result"]["text"] == "kept"
        other.send("stop_run", runId=run_id)
        other.until(*ENDS)
    assert len(records(daemons, run_id, "execution-ended")) == 1


@pytest.mark.requirement("cluster.runs.code")
def test_code_that_was_approved_needs_no_approval_to_go_on(daemons: SharingDaemons) -> None:
    path = daemons.first.home / "coded.py"
    path.write_text(PYTHON, encoding="utf-8")
    with (
        Operator(daemons.first) as operator,
        run_client(daemons.first) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        preparing = pool.submit(client.prepare, path)
        (question,) = until(operator.listed, "no question")
        assert operator.decide(question, True).status == 200
        run_id = preparing.result(20)
        client.send("start_run", runId=run_id, input="go")
        asked = client.until("request_input")[-1]
        assert asked["prompt"] == "<go 1>"
    with run_client(daemons.fail_over()) as client:
        client.send("subscribe", runId=run_id, afterSeq=asked["seq"])
        client.until("request_input")
        client.send("user_input", runId=run_id, agentName="wait", text="")
        assert client.until(*ENDS)[-1]["result"] == "<go 1><again 2>"
        refused = client.ask("prepare_run", strategyPath=str(path))
        assert (refused["code"], "must approve" in refused["message"]) == ("PREPARE_FAILED", True)


@pytest.mark.requirement("cluster.runs.gone")
def test_a_run_that_cannot_go_on_ends_and_says_why(daemons: SharingDaemons) -> None:
    path = write_strategy(daemons.first, {"a": echo("x"), "p": person(always=True)})
    run_id, before = started(daemons, path, "request_input")
    path.unlink()
    with run_client(daemons.fail_over()) as client:
        end = rest_of(client, run_id, before[-1]["seq"])[-1]
        assert end["error"]["code"] == "EXECUTION_ERROR"
        assert "could not go on" in end["error"]["message"]
        assert path.name in end["error"]["message"]
        (listed,) = client.ask("list_runs")["runs"]
        assert listed["status"] == "error"
    write_strategy(daemons.first, {"a": echo("{turn}")})
    with run_client(daemons.second) as client:
        assert client.ask("prepare_run", runId=run_id)["type"] == "run_prepared"
        client.send("continue_run", runId=run_id, input="")
        last = client.until(*ENDS)[-1]
        assert (last["result"], last["seq"] > end["seq"]) == ("2", True)


@pytest.mark.requirement("cluster.runs.shutdown")
def test_a_daemon_that_stops_leaves_its_runs_to_others(daemons: SharingDaemons) -> None:
    path = write_strategy(daemons.first, {"a": echo("x"), "p": person(always=True)})
    run_id, before = started(daemons, path, "request_input")
    daemons.first.stop()
    assert not records(daemons, run_id, "execution-ended")
    daemons.tell(daemons.second, "restored")
    with run_client(daemons.second) as client:
        client.send("subscribe", runId=run_id, afterSeq=before[-1]["seq"])
        assert client.until("request_input")[0]["type"] == "strategy_resumed"
