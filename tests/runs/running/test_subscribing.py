"""Following a run: from now on, or from a number on, in memory and in the store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.runs.clients import ENDS, Message, RunClient, run_client
from tests.runs.running.strategy_files import echo, person, write_strategy


@pytest.fixture
def client(daemon: DaemonProcess) -> Iterator[RunClient]:
    with run_client(daemon) as connected:
        yield connected


def waiting_run(daemon: DaemonProcess, client: RunClient) -> tuple[str, list[Message]]:
    """Return a run that waits for a person, and its events so far."""
    run_id = client.prepare(write_strategy(daemon, {"a": echo("abc", chunks=3), "p": person(always=True)}))
    client.send("start_run", runId=run_id, requestId="start")
    return run_id, client.until("request_input")


def finish(client: RunClient, run_id: str) -> None:
    """Answer the person of a run."""
    client.send("user_input", runId=run_id, agentName="p", text="done")


@pytest.mark.requirement("runs.subscribe.now")
def test_a_subscriber_gets_the_events_from_now_on(daemon: DaemonProcess, client: RunClient) -> None:
    run_id, before = waiting_run(daemon, client)
    with run_client(daemon) as other:
        other.send("subscribe", runId=run_id)
        assert other.is_silent()
        finish(client, run_id)
        events = other.until(*ENDS)
    assert events == client.until(*ENDS)
    assert events[0]["seq"] == before[-1]["seq"] + 1


@pytest.mark.requirement("runs.subscribe.bytes")
def test_all_subscribers_get_the_same_bytes(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.prepare(write_strategy(daemon, {"a": echo("abc", chunks=3)}))
    with run_client(daemon) as other:
        other.send("subscribe", runId=run_id)
        assert other.is_silent()
        client.send("start_run", runId=run_id)
        frames = [[it.socket.recv(20) for _ in range(10)] for it in (client, other)]
    assert frames[0] == frames[1]
    assert "strategy_completed" in str(frames[0][-1])


@pytest.mark.requirement("runs.subscribe.after")
@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_subscriber_gets_the_events_behind_a_number(
    daemon: DaemonProcess, client: RunClient, after: int
) -> None:
    run_id, before = waiting_run(daemon, client)
    with run_client(daemon) as other:
        other.send("subscribe", runId=run_id, afterSeq=after)
        assert other.until("request_input") == before[after:]
        finish(client, run_id)
        assert other.until(*ENDS) == client.until(*ENDS)


@pytest.mark.requirement("runs.subscribe.after")
def test_a_number_beyond_the_last_one_means_from_now_on(daemon: DaemonProcess, client: RunClient) -> None:
    run_id, before = waiting_run(daemon, client)
    with run_client(daemon) as other:
        other.send("subscribe", runId=run_id, afterSeq=10**6)
        assert other.is_silent()
        client.send("steer_run", runId=run_id, text="x")
        assert other.receive()["seq"] == before[-1]["seq"] + 1
        other.send("subscribe", runId=run_id, afterSeq=before[-1]["seq"])
        assert other.is_silent(), "it has been given that one"
        finish(client, run_id)
        other.until(*ENDS)


@pytest.mark.requirement("runs.subscribe.twice")
def test_no_event_arrives_twice(daemon: DaemonProcess, client: RunClient) -> None:
    run_id, before = waiting_run(daemon, client)
    with run_client(daemon) as other:
        other.ask("prepare_run", runId=run_id)
        for after in (5, 5, 2):
            other.send("subscribe", runId=run_id, afterSeq=after)
        other.send("subscribe", runId=run_id)
        other.send("ping")
        caught_up = [it["seq"] for it in other.until("pong") if "seq" in it]
        assert caught_up == [*(it["seq"] for it in before[5:]), 3, 4, 5]
        finish(client, run_id)
        assert other.until(*ENDS) == client.until(*ENDS)


@pytest.mark.requirement("runs.subscribe.twice")
def test_no_event_of_the_store_arrives_twice(daemon: DaemonProcess, client: RunClient) -> None:
    events = client.run(write_strategy(daemon, {"a": echo()}))
    stored = [it for it in events if it.get("event", {}).get("type") != "text"]
    with run_client(daemon) as other:
        for after in (2, 2, 0, 0):
            other.send("subscribe", runId=events[0]["runId"], afterSeq=after)
        replayed = [other.receive() for _ in stored]
        assert other.is_silent()
    assert sorted(it["seq"] for it in replayed) == [it["seq"] for it in stored]


@pytest.mark.requirement("runs.subscribe.unsubscribe")
def test_nothing_from_between_arrives(daemon: DaemonProcess, client: RunClient) -> None:
    run_id, before = waiting_run(daemon, client)
    with run_client(daemon) as other:
        for kind in ("subscribe", "subscribe", "unsubscribe"):
            other.send(kind, runId=run_id)
        assert other.is_silent()
        client.send("steer_run", runId=run_id, text="between")
        client.until("steer_queued")
        other.send("subscribe", runId=run_id)
        assert other.is_silent()
        finish(client, run_id)
        assert other.receive()["seq"] == before[-1]["seq"] + 2
        other.until(*ENDS)
    for name in (run_id, "unknown"):
        client.send("unsubscribe", runId=name, requestId="x")
    client.until(*ENDS)
    assert client.is_silent()


@pytest.mark.requirement("runs.subscribe.stored")
def test_a_finished_run_is_replayed_from_the_store(daemon: DaemonProcess, client: RunClient) -> None:
    events = client.run(write_strategy(daemon, {"a": echo("abc", chunks=3)}))
    run_id = events[0]["runId"]
    kept = [it for it in events if it.get("event", {}).get("type") != "text"]
    with run_client(daemon) as other:
        other.send("subscribe", runId=run_id, afterSeq=0)
        assert other.until(*ENDS) == kept
        other.send("unsubscribe", runId=run_id)
        other.send("subscribe", runId=run_id, afterSeq=events[-1]["seq"] - 1)
        assert other.receive() == events[-1]
        assert other.is_silent()
        client.ask("prepare_run", runId=run_id)
        client.send("continue_run", runId=run_id, input="")
        assert other.until(*ENDS) == client.until(*ENDS)


@pytest.mark.requirement("runs.subscribe.stored")
def test_a_run_of_an_earlier_life_is_replayed(own_daemon: DaemonProcess) -> None:
    with run_client(own_daemon) as client:
        events = client.run(write_strategy(own_daemon, {"a": echo("abc")}))
    run_id = events[0]["runId"]
    own_daemon.restart()
    with run_client(own_daemon) as client:
        assert client.ask("subscribe", runId="unknown")["code"] == "SUBSCRIBE_ERROR"
        client.send("subscribe", runId=run_id, afterSeq=events[-2]["seq"])
        assert client.receive() == events[-1]
        with run_client(own_daemon) as other:
            other.ask("prepare_run", runId=run_id)
            other.send("continue_run", runId=run_id, input="")
            later = client.until(*ENDS)
            assert other.until(*ENDS) == later
    assert later[0]["seq"] == events[-1]["seq"] + 1


@pytest.mark.requirement("runs.subscribe.stopped")
def test_events_of_a_run_that_was_stopped_before_its_start_are_replayed(
    daemon: DaemonProcess, client: RunClient
) -> None:
    path = write_strategy(daemon, {"a": echo("A")})
    run_id = client.prepare(path)
    client.send("steer_run", runId=run_id, text="early")
    client.send("stop_run", runId=run_id)
    before = client.until(*ENDS)
    with run_client(daemon) as other:
        other.send("subscribe", runId=run_id, afterSeq=0)
        assert other.until(*ENDS) == before
    assert client.prepare(path, runId=run_id) == run_id
    client.send("start_run", runId=run_id)
    events = [*before, *client.until(*ENDS)]
    with run_client(daemon) as other:
        other.send("subscribe", runId=run_id, afterSeq=0)
        replayed = [*other.until(*ENDS), *other.until(*ENDS)]
        assert other.is_silent()
    assert [it["seq"] for it in events] == list(range(1, len(events) + 1))
    assert replayed == [it for it in events if it.get("event", {}).get("type") != "text"]


@pytest.mark.requirement("runs.subscribe.unreadable")
def test_a_history_that_cannot_be_read_is_an_error_of_subscribe(
    daemon: DaemonProcess, client: RunClient
) -> None:
    run_id = client.run(write_strategy(daemon, {"a": echo("A")}))[0]["runId"]
    history = daemon.data_dir / "runs" / f"{run_id}.jsonl"
    history.unlink()
    client.send("subscribe", runId=run_id, afterSeq=0)
    assert client.is_silent()
    history.mkdir()
    client.send("unsubscribe", runId=run_id)
    reply = client.ask("subscribe", runId=run_id, afterSeq=0)
    history.rmdir()
    assert reply["code"] == "SUBSCRIBE_ERROR"
    assert "The history of the run cannot be read" in reply["message"]


@pytest.mark.requirement("runs.subscribe.bounded")
def test_events_that_memory_has_dropped_come_from_the_store(daemon: DaemonProcess, client: RunClient) -> None:
    large = "x" * 300_000
    path = write_strategy(daemon, {"a": echo(large), "b": echo(large), "p": person(always=True)})
    run_id = client.prepare(path)
    client.send("start_run", runId=run_id)
    events = client.until("request_input")
    with run_client(daemon) as other:
        other.send("subscribe", runId=run_id, afterSeq=0)
        replayed = other.until("request_input")
        lost = {it["seq"] for it in events} - {it["seq"] for it in replayed}
        assert all(it["event"]["type"] == "text" for it in events if it["seq"] in lost)
        assert [it["seq"] for it in replayed] == sorted({it["seq"] for it in replayed})
        client.send("stop_run", runId=run_id)
        other.until(*ENDS)
