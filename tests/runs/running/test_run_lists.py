"""Lists of runs, in memory and in the store; the runs of other users, which do not exist."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually
from tests.runs.clients import ENDS, RunClient, run_client
from tests.runs.running.strategy_files import echo, person, write_strategy


@pytest.fixture
def client(own_daemon: DaemonProcess) -> Iterator[RunClient]:
    with run_client(own_daemon) as connected:
        yield connected


def statuses(client: RunClient, kind: str, **fields: str) -> dict[str, str]:
    """Return the statuses of the runs in a list, in its order."""
    return {it["runId"]: it["status"] for it in client.ask(kind, **fields)["runs"]}


@pytest.mark.requirement("runs.lists.statuses")
def test_lists_have_the_status_of_each_run(own_daemon: DaemonProcess, client: RunClient) -> None:
    daemon = own_daemon
    talk = write_strategy(daemon, {"p": person("Well?")})
    completed = client.run(talk, "x")[-1]["runId"]
    failed = client.run(write_strategy(daemon, {"a": echo(error="no")}, name="bad"))[-1]["runId"]
    running, cancelled, pending = (client.prepare(talk) for _ in range(3))
    for run_id in (running, cancelled):
        client.send("start_run", runId=run_id)
        client.until("request_input")
    client.send("stop_run", runId=cancelled)
    client.until(*ENDS)
    stored = {
        cancelled: "cancelled",
        running: "running",
        failed: "error",
        completed: "completed",
    }
    assert statuses(client, "list_runs") == stored
    assert list(statuses(client, "list_runs")) == list(stored)
    assert statuses(client, "list_strategies") == {**stored, pending: "pending"}
    for run in client.ask("list_strategies")["runs"]:
        assert ("completedAt" in run) == (run["status"] not in {"pending", "running"})
        assert run["strategyName"] == ("bad" if run["runId"] == failed else "talk")
    health = daemon.request("GET", "/health").json()
    assert health["activeRuns"] == 2
    daemon.restart()
    with run_client(daemon) as later:
        assert statuses(later, "list_runs") == {**stored, running: "cancelled"}
        assert statuses(later, "list_strategies") == {}


@pytest.mark.requirement("runs.lists.discarded")
def test_a_continuation_that_is_stopped_before_its_start_leaves_the_run_as_it_was(
    own_daemon: DaemonProcess, client: RunClient
) -> None:
    talk = write_strategy(own_daemon, {"a": echo()})
    run_id = client.run(talk, "x")[-1]["runId"]
    (before,) = client.ask("list_runs")["runs"]
    own_daemon.restart()
    with run_client(own_daemon) as later:
        # The run is taken from the store first, then from memory.
        for _ in range(2):
            later.prepare(talk, runId=run_id)
            later.prepare(talk, runId=run_id)
            assert statuses(later, "list_strategies") == {run_id: "pending"}
            later.send("stop_run", runId=run_id)
            assert later.until(*ENDS)[-1]["error"]["code"] == "CANCELLED"
            assert later.ask("list_strategies")["runs"] == later.ask("list_runs")["runs"] == [before]
        fresh = later.prepare(talk)
        later.send("stop_run", runId=fresh)
        later.until(*ENDS)
        assert statuses(later, "list_strategies")[fresh] == "cancelled"


@pytest.mark.requirement("runs.lists.directory")
def test_stored_runs_are_listed_by_their_directory(own_daemon: DaemonProcess, client: RunClient) -> None:
    path = write_strategy(own_daemon, {"a": echo()})
    (own_daemon.home / "work").mkdir()
    there = client.run(path, cwd="work")[-1]["runId"]
    here = client.run(path)[-1]["runId"]
    assert list(statuses(client, "list_runs")) == [here, there]
    assert list(statuses(client, "list_runs", cwd="work")) == [there]
    assert list(statuses(client, "list_runs", cwd=str(own_daemon.home))) == [here]
    for cwd in ("nowhere", "/etc"):
        assert statuses(client, "list_runs", cwd=cwd) == {}


@pytest.mark.requirement("runs.users.hidden")
def test_runs_of_another_user_do_not_exist(own_daemon: DaemonProcess, client: RunClient) -> None:
    own_daemon.register("mallory", own_daemon.home / "mallory")
    path = write_strategy(own_daemon, {"p": person("Well?")})
    asking, ended, pending = client.prepare(path), client.run(path, "x")[-1]["runId"], client.prepare(path)
    client.send("start_run", runId=asking)
    client.until("request_input")
    with run_client(own_daemon, X_User_Id="mallory") as other:
        (own_daemon.home / "mallory" / "own.json").write_bytes(path.read_bytes())
        for run_id in (asking, ended, pending):
            for kind, fields, code in (
                ("prepare_run", {}, "PREPARE_FAILED"),
                ("prepare_run", {"strategyPath": "own.json"}, "PREPARE_FAILED"),
                ("start_run", {}, "START_FAILED"),
                ("continue_run", {"input": ""}, "CONTINUE_FAILED"),
                ("steer_run", {"text": "x"}, "RUN_NOT_STEERABLE"),
                ("user_input", {"agentName": "p", "text": "x"}, "NO_PENDING_INPUT"),
                ("subscribe", {"afterSeq": 0}, "SUBSCRIBE_ERROR"),
            ):
                assert other.ask(kind, runId=run_id, **fields)["code"] == code
            other.send("stop_run", runId=run_id)
        for kind in ("list_runs", "list_strategies"):
            assert statuses(other, kind) == {}
    assert client.is_silent()
    assert statuses(client, "list_strategies")[pending] == "pending"
    client.send("user_input", runId=asking, agentName="p", text="mine")
    assert client.until(*ENDS)[-1]["result"] == "mine"


@pytest.mark.requirement("runs.users.removed")
def test_the_runs_of_a_removed_user_end_and_are_forgotten(own_daemon: DaemonProcess) -> None:
    own_daemon.register("guest", own_daemon.home)
    path = write_strategy(own_daemon, {"p": person("Well?")})
    with run_client(own_daemon, X_User_Id="guest") as guest:
        ended, asking = guest.run(path, "x")[-1]["runId"], guest.prepare(path)
        guest.send("start_run", runId=asking)
        guest.until("request_input")
        own_daemon.request("DELETE", "/users/guest")
        assert guest.until(*ENDS)[-1]["error"]["code"] == "CANCELLED"
    eventually(lambda: not list((own_daemon.data_dir / "runs").iterdir()))
    own_daemon.register("guest", own_daemon.home)
    with run_client(own_daemon, X_User_Id="guest") as guest:
        for kind in ("list_runs", "list_strategies"):
            assert statuses(guest, kind) == {}
        for run_id in (ended, asking):
            assert guest.ask("prepare_run", runId=run_id)["message"] == "Run not found"
