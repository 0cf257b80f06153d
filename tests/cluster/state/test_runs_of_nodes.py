"""Runs on three real nodes: they go on by themselves where their user's home comes to."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.engine import Engine
from tests.cluster.nodes import Cluster, Node
from tests.protocol.waits import eventually
from tests.runs.clients import ENDS, Message, RunClient, run_client
from tests.runs.running.strategy_files import echo, person, sequential, stuck
from tests.runs.tools.tool_runs import command

pytestmark = pytest.mark.long

USER = "ann"
WITHIN = 20.0


class Runs:
    """A user with runs on three nodes."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.nodes = [cluster.node(name) for name in ("one", "two", "three")]
        cluster.home(USER).mkdir(parents=True)
        cluster.register(USER)
        self.headers = {"Authorization": f"Bearer {cluster.token(USER)}"}

    @property
    def owner(self) -> Node:
        """The node with the home."""
        name = self.cluster.await_owner(USER, lambda it: it is not None)
        return next(it for it in self.nodes if it.name == name)

    def other(self, *nodes: Node) -> Node:
        """Return a node that is none of these."""
        return next(it for it in self.nodes if it not in nodes)

    def client(self, node: Node) -> AbstractContextManager[RunClient]:
        """Connect the user to a node."""
        return run_client(node, **self.headers)

    def strategy(self, agents: dict[str, Any], flow: dict[str, Any] | None = None) -> Path:
        """Write a strategy into the home."""
        path = self.cluster.home(USER) / "talk.json"
        strategy = {"name": "talk", "version": "1", "agents": agents, "flow": flow or sequential(*agents)}
        path.write_text(json.dumps(strategy), encoding="utf-8")
        return path

    def start(self, path: Path, last: str) -> tuple[str, list[Message]]:
        """Start a run at the node with the home; return it, and its events up to one of this type."""
        with self.client(self.owner) as client:
            run_id = client.prepare(path)
            client.send("start_run", runId=run_id, input="go", requestId="mine")
            return run_id, client.until(last)

    def kill_owner(self) -> Node:
        """Kill the node with the home with SIGKILL, and return the one that has the home then."""
        gone = self.owner
        gone.kill()
        self.cluster.await_owner(USER, lambda it: it not in (None, gone.name), WITHIN)
        return self.owner

    def records(self, run_id: str) -> list[dict[str, Any]]:
        """Return the lines of a run's history, of which none may be missing."""
        query = f"FROM stringd.log_lines WHERE log = '{run_id}'"
        numbers = self.cluster.sql(f"SELECT number {query} ORDER BY number").split()
        assert numbers == [str(it) for it in range(1, len(numbers) + 1)]
        lines = self.cluster.sql(f"SELECT encode(line, 'hex') {query} ORDER BY number").split()
        return [json.loads(bytes.fromhex(it)) for it in lines]

    def called(self, run_id: str) -> list[str]:
        """Return the agents whose calls have finished, in order."""
        return [it["agent"] for it in self.records(run_id) if it.get("record") == "agent-called"]


@pytest.fixture
def runs(cluster: Cluster) -> Runs:
    """Three nodes."""
    return Runs(cluster)


def lines_of(path: Path) -> list[str]:
    """Return what commands have written."""
    return path.read_text(encoding="utf-8").split() if path.exists() else []


@pytest.mark.requirement("cluster.runs.resumed")
def test_a_run_goes_on_by_itself_when_its_node_is_killed(runs: Runs) -> None:
    calls = runs.cluster.home(USER) / "calls.txt"
    note = [[command(f"/exec echo {it} >> calls.txt")] for it in ("first", "second")]
    tool = {"tools": ["topic:file"]}
    slow = {"chunks": 2, "chunkDelayMs": 4000}
    agents = {
        "first": {**echo("a", toolCalls=note[:1]), **tool},
        "second": {**echo("b", toolCalls=note[1:], **slow), **tool},
        "last": echo("{input}!"),
    }
    run_id, before = runs.start(runs.strategy(agents), "step_completed")
    eventually(lambda: lines_of(calls) == ["first", "second"], WITHIN)
    new = runs.kill_owner()
    # Nobody has asked for the run since.
    eventually(lambda: runs.called(run_id)[-1:] == ["last"], 2 * WITHIN)
    assert runs.called(run_id) == ["first", "second", "last"]
    assert lines_of(calls) == ["first", "second", "second"]
    with runs.client(new) as client:
        client.send("subscribe", runId=run_id, afterSeq=before[-1]["seq"])
        after = client.until(*ENDS)
        assert after[-1]["result"] == "b!"
        assert [it["type"] for it in after].count("strategy_resumed") == 1
        numbers = [it["seq"] for it in (*before, *after)]
        assert numbers == sorted({*numbers})
        (listed,) = client.ask("list_runs")["runs"]
        assert (listed["runId"], listed["status"]) == (run_id, "completed")
        client.ask("prepare_run", runId=run_id)
        client.send("continue_run", runId=run_id, input="again")
        assert client.until(*ENDS)[-1]["result"] == "b!"


@pytest.mark.requirement("cluster.runs.everywhere")
def test_a_run_is_watched_steered_and_answered_through_any_node(runs: Runs) -> None:
    agents = {"p": person(always=True), "a": echo("{input}"), "q": person(always=True), "b": echo("{input}")}
    run_id, before = runs.start(runs.strategy(agents), "request_input")
    with runs.client(runs.other(runs.owner)) as client:
        assert [it["runId"] for it in client.ask("list_strategies")["runs"]] == [run_id]
        client.send("subscribe", runId=run_id, afterSeq=before[-1]["seq"])
        client.send("user_input", runId=run_id, agentName="p", text="yes")
        asked = client.until("request_input")[-1]
        assert asked["prompt"] == "yes"
        client.send("steer_run", runId=run_id, text="hurry")
        client.until("steer_queued")
    new = runs.kill_owner()
    with runs.client(runs.other(new, *(it for it in runs.nodes if not it.is_running))) as client:
        client.send("subscribe", runId=run_id, afterSeq=asked["seq"])
        client.until("request_input")
        client.send("user_input", runId=run_id, agentName="q", text="fine")
        ended = client.until(*ENDS)[-1]
        assert "fine" in ended["result"]
        assert "hurry" in ended["result"]
    assert runs.called(run_id) == ["p", "a", "q", "b"]


@pytest.mark.requirement("cluster.runs.shutdown")
@pytest.mark.parametrize("how", ["leave", "move", "drain"])
def test_a_run_goes_on_after_an_orderly_move(runs: Runs, how: str) -> None:
    agents = {"a": echo("a{turn}"), "p": person(always=True)}
    run_id, before = runs.start(runs.strategy(agents), "request_input")
    old = runs.owner
    match how:
        case "leave":
            old.leave()
        case "move":
            runs.cluster.move(USER, runs.other(old).name)
        case "drain":
            runs.cluster.drain(old.name)
    runs.cluster.await_owner(USER, lambda it: it not in (None, old.name), WITHIN)
    with runs.client(runs.owner) as client:
        client.send("subscribe", runId=run_id, afterSeq=before[-1]["seq"])
        client.until("strategy_resumed")
        client.until("request_input")
        client.send("user_input", runId=run_id, agentName="p", text="done")
        assert client.until(*ENDS)[-1]["result"] == "done"
    assert runs.called(run_id) == ["a", "p"]


@pytest.mark.requirement("cluster.runs.fenced")
def test_a_node_that_was_paused_does_nothing_more_for_a_run(runs: Runs) -> None:
    calls = runs.cluster.home(USER) / "calls.txt"
    tool = {"tools": ["topic:bash"]}
    slow = "for i in 1 2 3 4 5 6 7 8; do echo $i >> calls.txt; sleep 1; done"
    agents = {
        "a": echo("a{turn}"),
        "b": {**echo("b{turn}", toolCalls=[[command(slow, "bash")]]), **tool},
        "c": echo("c{turn}"),
    }
    run_id, _ = runs.start(runs.strategy(agents), "step_completed")
    old = runs.owner
    eventually(lambda: lines_of(calls), WITHIN)
    old.pause()
    runs.cluster.await_owner(USER, lambda it: it not in (None, old.name), WITHIN)
    eventually(lambda: lines_of(calls).count("1") == 2, WITHIN)
    old.resume()
    eventually(lambda: runs.called(run_id)[-1:] == ["c"], WITHIN)
    written = lines_of(calls)
    # The shell of the paused node was killed before the other one began.
    second = len(written) - 1 - written[::-1].index("1")
    assert written[second:] == [str(it) for it in range(1, 9)]
    assert runs.called(run_id) == ["a", "b", "c"]
    ends = [it for it in runs.records(run_id) if it.get("record") == "execution-ended"]
    assert [it["status"] for it in ends] == ["completed"]


@pytest.mark.requirement("cluster.runs.ended")
def test_a_stopped_run_does_not_go_on(runs: Runs) -> None:
    run_id, _ = runs.start(runs.strategy({"a": echo("a"), "w": stuck()}), "step_completed")
    with runs.client(runs.other(runs.owner)) as client:
        client.send("subscribe", runId=run_id)
        client.send("stop_run", runId=run_id)
        assert client.until(*ENDS)[-1]["error"]["code"] == "CANCELLED"
    old = runs.owner
    old.kill()
    with runs.client(runs.other(old)) as client:
        (listed,) = client.ask("list_runs")["runs"]
        assert (listed["runId"], listed["status"]) == (run_id, "cancelled")
        assert client.ask("list_strategies")["runs"] == []


@pytest.mark.requirement("cluster.runs.everywhere")
def test_the_question_of_a_run_is_listed_and_answered_at_any_node(runs: Runs) -> None:
    def listed(node: Node) -> list[dict[str, Any]]:
        reply = node.request("GET", f"/questions?user_id={USER}", headers=runs.headers)
        questions: list[dict[str, Any]] = reply.json()["questions"]
        return questions

    agents = {"p": person("What now?", always=True), "a": echo("{input}")}
    run_id, before = runs.start(runs.strategy(agents), "request_input")
    old = runs.owner
    lost = eventually(lambda: listed(runs.other(old)), WITHIN)
    assert [it["topic"] for it in lost] == [f"run:{run_id}"]
    new = runs.kill_owner()
    third = runs.other(old, new)
    (question,) = eventually(lambda: [it for it in listed(third) if it["id"] != lost[0]["id"]], WITHIN)
    eventually(lambda: len(listed(third)) == 1, WITHIN)
    answered = third.request("POST", f"/questions/{question['id']}", {"answer": "onwards"}, runs.headers)
    assert answered.status == 200, answered.text
    with runs.client(third) as client:
        client.send("subscribe", runId=run_id, afterSeq=before[-1]["seq"])
        assert client.until(*ENDS)[-1]["result"] == "onwards"


@pytest.mark.requirement("cluster.logs.doubt")
def test_a_run_goes_on_after_the_database_was_killed(runs: Runs, postgres: Engine) -> None:
    agents = {f"a{number}": echo("x", chunks=2, chunkDelayMs=100) for number in range(8)}
    run_id, _ = runs.start(runs.strategy(agents), "step_completed")
    postgres.kill()
    postgres.start()
    eventually(lambda: runs.called(run_id)[-1:] == ["a7"], WITHIN)
    assert runs.called(run_id) == list(agents)
    ended = eventually(lambda: [it for it in runs.records(run_id) if "completed_at" in it], WITHIN)
    assert [it["status"] for it in ended] == ["completed"]
