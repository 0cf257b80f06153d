"""Preparing runs: new ones, continuations, those in flight, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.questions.people import until
from tests.runs.clients import ENDS, RunClient, run_client
from tests.runs.running.strategy_files import echo, person, sequential, stuck, write_strategy


@pytest.fixture
def client(daemon: DaemonProcess) -> Iterator[RunClient]:
    with run_client(daemon) as connected:
        yield connected


def refused(client: RunClient, **fields: str) -> str:
    """Return why a run cannot be prepared."""
    reply = client.ask("prepare_run", **fields)
    assert (reply["type"], reply["code"]) == ("error", "PREPARE_FAILED")
    message: str = reply["message"]
    return message


@pytest.mark.requirement("runs.prepare.new")
def test_a_new_run_is_described(daemon: DaemonProcess, client: RunClient) -> None:
    agents = {"b": echo(), "a": person("Somebody")}
    path = write_strategy(daemon, agents, sequential("a", "b", name="both"), name="pair")
    first, second = (client.ask("prepare_run", strategyPath=str(path)) for _ in range(2))
    assert first["runId"] != second["runId"]
    assert (first["strategyName"], first["agents"]) == ("pair", ["b", "a"])
    assert first["flowTree"]["name"] == "both"
    assert [it["name"] for it in first["flowTree"]["steps"]] == ["a", "b"]
    assert first["conversation"] == {"records": [], "retentionEvents": [], "inputs": []}
    assert first["mcpServers"] == []


@pytest.mark.requirement("runs.prepare.mcp")
def test_servers_of_tools_that_are_not_connected_are_reported(
    daemon: DaemonProcess, client: RunClient
) -> None:
    path = write_strategy(daemon, {"a": echo()})
    strategy = {**json.loads(path.read_text()), "mcpServers": {"search": {"command": "search"}}}
    path.write_text(json.dumps(strategy))
    (server,) = client.ask("prepare_run", strategyPath=str(path))["mcpServers"]
    assert (server["name"], server["status"]) == ("search", "unavailable")
    assert "MCP" in server["error"]


@pytest.mark.requirement("runs.prepare.id")
def test_an_unknown_id_is_taken_with_a_path_and_refused_without(
    daemon: DaemonProcess, client: RunClient
) -> None:
    assert refused(client, runId="mine") == "Run not found"
    path = write_strategy(daemon, {"a": echo()})
    assert client.prepare(path, runId="mine") == "mine"
    client.send("start_run", runId="mine", input="x")
    assert {it["runId"] for it in client.until(*ENDS)} == {"mine"}


@pytest.mark.long
@pytest.mark.requirement("runs.prepare.most")
def test_prepared_runs_that_were_left_make_room_for_others(own_daemon: DaemonProcess) -> None:
    path = write_strategy(own_daemon, {"a": echo()})
    with run_client(own_daemon) as other:
        with run_client(own_daemon) as client:
            for number in range(1000):
                client.prepare(path, runId=f"r{number}")
            said = refused(other, strategyPath=str(path))
            assert said == "There are 1,000 runs in flight: stop one of them first."
            assert client.prepare(path, runId="r0") == "r0"
            client.send("start_run", runId="r1")
            assert client.until(*ENDS)[-1]["type"] == "strategy_completed"
            other.prepare(path)
        prepare = {"strategyPath": str(path)}
        until(
            lambda: other.ask("prepare_run", **prepare)["type"] == "run_prepared", "the client has not left"
        )
        other.prepare(path)
        listed = {it["runId"]: it["status"] for it in other.ask("list_strategies")["runs"]}
    assert {it for it, status in listed.items() if status == "cancelled"} == {"r2", "r3"}


@pytest.mark.requirement("runs.prepare.frozen")
def test_a_prepared_strategy_does_not_change_any_more(daemon: DaemonProcess, client: RunClient) -> None:
    prompt = daemon.home / "prompt.md"
    prompt.write_text("of three words")
    path = write_strategy(daemon, {"a": {**echo("before"), "systemPrompt": "prompt.md"}})
    changed, gone = client.prepare(path), client.prepare(path)
    write_strategy(daemon, {"a": echo("after")})
    prompt.write_text("one")
    client.send("start_run", runId=changed)
    end = client.until(*ENDS)[-1]
    assert (end["result"], end["usage"]["promptTokens"]) == ("before", 3)
    path.unlink()
    prompt.unlink()
    client.send("start_run", runId=gone)
    assert client.until(*ENDS)[-1]["result"] == "before"
    assert "talk.json" in refused(client, runId=gone)
    assert gone in {it["runId"] for it in client.ask("list_runs")["runs"]}


@pytest.mark.requirement("runs.prepare.continuation")
def test_a_continuation_is_as_before_unless_the_request_says_otherwise(
    daemon: DaemonProcess, client: RunClient
) -> None:
    folder = daemon.home / "work"
    folder.mkdir()
    agents = {"a": {**echo("a{turn}"), "model": "scripted/other"}}
    write_strategy(daemon, agents).rename(folder / "talk.json")
    first = client.run("talk.json", cwd="work", modelOverride="scripted/echo")
    run_id = first[-1]["runId"]
    for fields, result, model in (
        ({}, "a2", "scripted/echo"),
        ({"modelOverride": "scripted/echo", "cwd": "~"}, "a3", "scripted/echo"),
        ({"strategyPath": "other.json"}, "b4", "scripted/echo"),
    ):
        write_strategy(daemon, {"a": echo("b{turn}")}, name="other")
        reply = client.ask("prepare_run", runId=run_id, **fields)
        assert reply["type"] == "run_prepared", reply
        client.send("continue_run", runId=run_id, input="")
        events = client.until(*ENDS)
        assert events[-1]["result"] == result
        assert {it["model"] for it in events if it["type"] == "agent_output"} == {model}


@pytest.mark.requirement("runs.prepare.continuation")
def test_a_continuation_reads_the_file_anew(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.run(write_strategy(daemon, {"a": echo("old {turn}")}))[-1]["runId"]
    write_strategy(daemon, {"a": echo("new {turn}"), "b": echo("{input}, b {turn}")})
    assert client.ask("prepare_run", runId=run_id)["agents"] == ["a", "b"]
    client.send("continue_run", runId=run_id, input="")
    assert client.until(*ENDS)[-1]["result"] == "new 2, b 1"


@pytest.mark.requirement("runs.prepare.attach")
def test_a_run_in_flight_is_attached_to(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.prepare(write_strategy(daemon, {"a": echo("done"), "b": stuck()}))
    client.send("start_run", runId=run_id, input="go")
    client.until("step_completed")
    with run_client(daemon) as other:
        for fields in ({}, {"strategyPath": "nowhere.json"}):
            reply = other.ask("prepare_run", runId=run_id, **fields)
            assert [it["text"] for it in reply["conversation"]["records"]] == ["go", "done"]
            assert [it["text"] for it in reply["conversation"]["inputs"]] == ["go"]
        other.send("stop_run", runId=run_id)
        assert other.until(*ENDS)[-1]["error"]["code"] == "CANCELLED"
    assert client.until(*ENDS)[-1]["error"]["code"] == "CANCELLED"


@pytest.mark.requirement("runs.prepare.attach")
def test_a_prepared_run_is_attached_to_or_prepared_anew(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": echo("first")})
    run_id = client.prepare(path)
    path.unlink()
    with run_client(daemon) as other:
        assert other.ask("prepare_run", runId=run_id)["agents"] == ["a"]
        write_strategy(daemon, {"b": echo("second")})
        assert other.ask("prepare_run", runId=run_id, strategyPath="talk.json")["agents"] == ["b"]
        client.send("start_run", runId=run_id)
        assert client.until(*ENDS)[-1]["result"] == other.until(*ENDS)[-1]["result"] == "second"


@pytest.mark.requirement("runs.prepare.failure")
def test_a_failure_leaves_what_there_was_before(daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(daemon, {"a": echo("fine")})
    run_id = client.prepare(path)
    path.write_text('{"name": "talk",\n "version": "1", "agent": {}}')
    message = refused(client, runId=run_id, strategyPath="talk.json")
    assert message.splitlines()[-1] == f"{path}:2"
    client.send("start_run", runId=run_id)
    assert client.until(*ENDS)[-1]["result"] == "fine"


@pytest.mark.requirement("runs.prepare.failure")
@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"strategyPath": "missing.json"}, "missing.json"),
        ({"strategyPath": "talk.json", "cwd": "nowhere"}, "no such directory"),
        ({"strategyPath": "talk.json", "modelOverride": "nobody/x"}, "no provider nobody"),
        ({"strategyPath": "talk.json", "modelOverride": "nothing"}, "provider/model"),
    ],
)
def test_what_cannot_be_prepared_is_refused(
    daemon: DaemonProcess, client: RunClient, fields: dict[str, str], why: str
) -> None:
    write_strategy(daemon, {"a": echo()})
    fields = {**fields, "runId": "impossible"}
    assert why in refused(client, **fields)
    assert "impossible" not in {it["runId"] for it in client.ask("list_strategies")["runs"]}


@pytest.mark.requirement("runs.prepare.boundary")
def test_strategies_and_directories_are_within_the_boundary_of_the_user(
    daemon: DaemonProcess, client: RunClient, tmp_path: Path
) -> None:
    outside = write_strategy(daemon, {"a": echo()}).rename(tmp_path / "outside.json")
    assert "Outside the allowed paths" in refused(client, strategyPath=str(outside))
    write_strategy(daemon, {"a": echo()})
    assert "Outside the allowed paths" in refused(client, strategyPath="talk.json", cwd=str(tmp_path))
    (daemon.home / "link.json").symlink_to(outside)
    assert "Outside the allowed paths" in refused(client, strategyPath="link.json")
    agents = {"a": {**echo(), "systemPrompt": "../secret.md"}}
    (daemon.home / ".." / "secret.md").write_text("secret")
    path = write_strategy(daemon, agents)
    message = refused(client, strategyPath=str(path))
    assert "Outside the allowed paths" in message
    assert "secret\n" not in message


@pytest.mark.requirement("runs.prepare.no_history")
def test_preparing_writes_no_history(own_daemon: DaemonProcess) -> None:
    with run_client(own_daemon) as client:
        run_id = client.prepare(write_strategy(own_daemon, {"a": echo()}))
        assert client.ask("list_runs")["runs"] == []
        assert not list((own_daemon.data_dir / "runs").glob("*"))
        client.send("start_run", runId=run_id)
        client.until(*ENDS)
        assert [it.name for it in (own_daemon.data_dir / "runs").iterdir()] == [f"{run_id}.jsonl"]
