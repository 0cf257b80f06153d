"""Histories: what survives a daemon that is killed, a disk that is full, files that are garbage."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.runs.clients import ENDS, RunClient, run_client
from tests.runs.running.strategy_files import echo, person, stuck, talkative, write_strategy

GARBAGE = (b"", b"\0" * 5000, b"{}\n[]\n1\n\xff\xfe\n", b'{"record":"execution-ended"}\n' * 3, b"[" * 100_000)


def history(daemon: DaemonProcess, run_id: str) -> Path:
    """Return the file of a run's history."""
    return daemon.data_dir / "runs" / f"{run_id}.jsonl"


def lines(daemon: DaemonProcess, run_id: str) -> list[dict[str, Any]]:
    """Return the lines of a history."""
    return [json.loads(it) for it in history(daemon, run_id).read_bytes().splitlines()]


def carry_on(client: RunClient, run_id: str) -> str:
    """Continue a run, and return its result."""
    assert client.ask("prepare_run", runId=run_id)["type"] == "run_prepared"
    client.send("continue_run", runId=run_id, input="")
    result: str = client.until(*ENDS)[-1]["result"]
    return result


@contextmanager
def files_up_to(daemon: DaemonProcess, size: int) -> Iterator[None]:
    """Let no file of a daemon grow beyond a size."""
    unlimited = resource.RLIM_INFINITY
    resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (size, unlimited))
    yield
    resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))


@pytest.mark.requirement("runs.history.killed")
@pytest.mark.parametrize("waits_for", ["person", "model"])
def test_a_run_goes_on_after_the_daemon_was_killed(own_daemon: DaemonProcess, waits_for: str) -> None:
    waiting = person(always=True) if waits_for == "person" else talkative()
    path = write_strategy(own_daemon, {"a": echo("a{turn}"), "b": echo("b{turn}"), "w": waiting})
    with run_client(own_daemon) as client:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id, input="go")
        before = [client.until("step_completed"), client.until("step_completed")]
        last = client.until("request_input" if waits_for == "person" else "agent_streaming")[-1]
        if waits_for == "model":
            last = [client.receive() for _ in range(3)][-1]
            assert last["event"]["type"] == "text"
        own_daemon.process.send_signal(signal.SIGKILL)
    own_daemon.process.wait()
    own_daemon.start()
    write_strategy(own_daemon, {"a": echo("a{turn}"), "b": echo("{input} b{turn}")})
    with run_client(own_daemon) as client:
        (listed,) = client.ask("list_runs")["runs"]
        assert (listed["runId"], listed["status"]) == (run_id, "cancelled")
        reply = client.ask("prepare_run", runId=run_id)
        said = [it["text"] for it in reply["conversation"]["records"] if it["role"] == "assistant"]
        assert said == ["a1", "b1"]
        client.send("subscribe", runId=run_id, afterSeq=0)
        replayed = client.until(*ENDS)
        assert replayed[-1]["error"] == {"code": "CANCELLED", "message": "daemon stopped"}
        completed = [it for events in before for it in events if it["type"] == "step_completed"]
        assert [it for it in replayed if it["type"] == "step_completed"] == completed
        assert replayed[-1]["seq"] > last["seq"]
        client.send("continue_run", runId=run_id, input="")
        events = client.until(*ENDS)
        assert events[-1]["result"] == "a2 b2"
        assert events[0]["seq"] == replayed[-1]["seq"] + 1


@pytest.mark.long
@pytest.mark.requirement("runs.history.killed")
def test_what_was_said_to_be_done_is_stored_whenever_the_daemon_is_killed(own_daemon: DaemonProcess) -> None:
    agents = {f"a{number}": echo(f"{number}") for number in range(60)}
    path = write_strategy(own_daemon, agents)
    for killed_after in (1, 7, 30):
        with run_client(own_daemon) as client:
            run_id = client.prepare(path)
            client.send("start_run", runId=run_id)
            done = [client.until("step_completed")[-1]["stepName"] for _ in range(killed_after)]
            own_daemon.process.send_signal(signal.SIGKILL)
        own_daemon.process.wait()
        own_daemon.start()
        with run_client(own_daemon) as client:
            records = client.ask("prepare_run", runId=run_id)["conversation"]["records"]
            stored = [it["agentName"] for it in records if it["role"] == "assistant"]
            assert stored[: len(done)] == done


@pytest.mark.requirement("runs.history.torn")
@pytest.mark.parametrize("size", [0, 100_000])
def test_a_torn_last_line_is_skipped(own_daemon: DaemonProcess, size: int) -> None:
    with run_client(own_daemon) as client:
        run_id = client.run(write_strategy(own_daemon, {"a": echo("{turn}")}))[-1]["runId"]
    own_daemon.stop()
    file = history(own_daemon, run_id)
    file.write_bytes(file.read_bytes() + b'{"record":"execution-started","input":"' + b"x" * size)
    own_daemon.start()
    with run_client(own_daemon) as client:
        assert client.ask("list_runs")["runs"][0]["status"] == "completed"
        assert carry_on(client, run_id) == "2"
        assert carry_on(client, run_id) == "3"


@pytest.mark.requirement("runs.history.garbage")
@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_in_the_store_does_no_harm(own_daemon: DaemonProcess, garbage: bytes) -> None:
    path = write_strategy(own_daemon, {"a": echo("{turn}")})
    with run_client(own_daemon) as client:
        run_id = client.run(path)[-1]["runId"]
    own_daemon.stop()
    history(own_daemon, "broken").write_bytes(garbage)
    own_daemon.start()
    with run_client(own_daemon) as client:
        assert [it["runId"] for it in client.ask("list_runs")["runs"]] == [run_id]
        assert client.ask("prepare_run", runId="broken")["message"] == "Run not found"
        assert client.ask("subscribe", runId="broken")["code"] == "SUBSCRIBE_ERROR"
        assert client.run(path, runId="broken")[-1]["result"] == "1"
        assert carry_on(client, "broken") == "2"


@pytest.mark.requirement("runs.history.garbage")
@pytest.mark.parametrize("records", [5, [5], [{"a": 1}], {"role": "user"}, None])
def test_what_no_agent_can_have_said_is_skipped(own_daemon: DaemonProcess, records: object) -> None:
    with run_client(own_daemon) as client:
        run_id = client.run(write_strategy(own_daemon, {"a": echo("{turn}")}))[-1]["runId"]
        line = {"record": "agent-called", "agent": "a", "records": records}
        with history(own_daemon, run_id).open("a") as file:
            file.write(f"{json.dumps(line)}\n")
        assert carry_on(client, run_id) == "2"


@pytest.mark.requirement("runs.history.garbage")
def test_what_is_no_file_is_not_used(own_daemon: DaemonProcess, tmp_path: Path) -> None:
    path = write_strategy(own_daemon, {"a": echo("{turn}")})
    with run_client(own_daemon) as client:
        client.run(path)
        outside = tmp_path / "outside"
        outside.write_bytes(b"kept\n")
        history(own_daemon, "link").symlink_to(outside)
        os.mkfifo(history(own_daemon, "pipe"))
        history(own_daemon, "folder").mkdir()
        assert len(client.ask("list_runs")["runs"]) == 1
        for run_id in ("link", "pipe", "folder"):
            reply = client.ask("prepare_run", runId=run_id, strategyPath=str(path))
            assert (reply["code"], "cannot be read" in reply["message"]) == ("PREPARE_FAILED", True)
        assert outside.read_bytes() == b"kept\n"


@pytest.mark.requirement("runs.history.private")
def test_histories_are_private(own_daemon: DaemonProcess) -> None:
    with run_client(own_daemon) as client:
        run_id = client.run(write_strategy(own_daemon, {"a": echo()}))[-1]["runId"]
    file = history(own_daemon, run_id)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.requirement("runs.history.full")
def test_a_full_disk_ends_a_run_and_is_not_denied(own_daemon: DaemonProcess) -> None:
    agents = {"a": echo("a" * 1000), "p": person(always=True), "b": echo("b" * 5000)}
    path = write_strategy(own_daemon, agents)
    with run_client(own_daemon) as client:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id)
        events = client.until("request_input")
        with files_up_to(own_daemon, history(own_daemon, run_id).stat().st_size + 2000):
            client.send("user_input", runId=run_id, agentName="p", text="go on")
            events += client.until(*ENDS)
            assert events[-1]["error"]["code"] == "EXECUTION_ERROR"
            assert "history" in events[-1]["error"]["message"]
            assert client.ask("steer_run", runId=run_id, text="x")["code"] == "RUN_NOT_STEERABLE"
        assert [it["seq"] for it in events] == list(range(1, len(events) + 1))
        done = [it["stepName"] for it in events if it["type"] == "step_completed"]
        assert done[0] == "a"
        assert "b" not in done
        records = client.ask("prepare_run", runId=run_id)["conversation"]["records"]
        assert [name for name in agents if name in {it["agentName"] for it in records}] == done
        client.send("continue_run", runId=run_id, input="")
        client.until("request_input")
        client.send("stop_run", runId=run_id)
        client.until(*ENDS)
        assert client.ask("list_runs")["runs"][0]["status"] == "cancelled"
    assert lines(own_daemon, run_id)[-1]["record"] == "execution-ended"


@pytest.mark.requirement("runs.history.full")
def test_a_run_can_be_stopped_on_a_full_disk(own_daemon: DaemonProcess) -> None:
    path = write_strategy(own_daemon, {"p": person("Well?")})
    with run_client(own_daemon) as client:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id)
        client.until("request_input")
        with files_up_to(own_daemon, history(own_daemon, run_id).stat().st_size):
            client.send("stop_run", runId=run_id)
            assert client.until(*ENDS)[-1]["error"]["code"] == "CANCELLED"
        other = client.prepare(path)
        with files_up_to(own_daemon, 100):
            client.send("start_run", runId=other)
            assert client.until(*ENDS)[-1]["error"]["code"] == "EXECUTION_ERROR"
    own_daemon.restart()
    with run_client(own_daemon) as client:
        statuses = {it["runId"]: it["status"] for it in client.ask("list_runs")["runs"]}
        assert statuses[run_id] == "cancelled"


@pytest.mark.requirement("runs.history.shutdown")
def test_all_runs_are_cancelled_when_the_daemon_stops(own_daemon: DaemonProcess) -> None:
    path = write_strategy(own_daemon, {"p": person("Well?")})
    with run_client(own_daemon) as client, run_client(own_daemon) as other:
        asking, pending = client.prepare(path), client.prepare(path)
        client.send("start_run", runId=asking)
        client.until("request_input")
        running = other.prepare(write_strategy(own_daemon, {"a": stuck()}, name="stuck"))
        other.send("start_run", runId=running)
        other.until("agent_streaming")
        own_daemon.process.send_signal(signal.SIGTERM)
        ends = {it["runId"]: it["error"]["code"] for it in (client.until(*ENDS)[-1], client.until(*ENDS)[-1])}
        assert ends == {asking: "CANCELLED", pending: "CANCELLED"}
        assert other.until(*ENDS)[-1]["error"]["code"] == "CANCELLED"
        assert {client.close_code(), other.close_code()} == {1001}
    own_daemon.process.wait()
    for run_id in (asking, running):
        end = lines(own_daemon, run_id)[-1]
        assert (end["record"], end["status"]) == ("execution-ended", "cancelled")
    own_daemon.start()


@pytest.mark.requirement("runs.history.content")
def test_a_history_has_the_events_without_pieces(own_daemon: DaemonProcess) -> None:
    with run_client(own_daemon) as client:
        events = client.run(write_strategy(own_daemon, {"a": echo("ä\u2028\0", chunks=2)}))
    run_id = events[0]["runId"]
    kept = [it for it in events if it.get("event", {}).get("type") != "text"]
    stored = lines(own_daemon, run_id)
    assert [it for it in stored if "type" in it] == kept
    assert [it["record"] for it in stored if "record" in it] == [
        "execution-started",
        "numbers-reserved",
        "agent-called",
        "execution-ended",
    ]
