"""What clients see of runs: replies, events, and the streams of slow and of many readers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.runs.clients import ENDS, PATIENCE, Message, RunClient, run_client
from tests.runs.serving.echo_strategies import write_echo

ENVELOPE = {"type", "ts", "seq", "requestId", "runId"}
USER_TEXT = "{input} %s {{ x }} {% raw %} \u2028\u2029 \0 \r\n\t é \U0001f600 " + "x" * 200_000


@pytest.fixture
def client(daemon: DaemonProcess) -> Iterator[RunClient]:
    with run_client(daemon) as connected:
        yield connected


def fields(message: Message) -> set[str]:
    return message.keys() - ENVELOPE


@pytest.mark.requirement("runs.events.fields", "runs.events.envelope")
def test_events_of_a_run(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.prepare(write_echo(daemon, "{input} and {turn}", chunks=2))
    client.send("start_run", runId=run_id, input="hello", requestId="s")
    events = client.until(*ENDS)
    assert [it["type"] for it in events] == [
        "strategy_started",
        "step_started",
        *["agent_streaming"] * 3,
        "agent_output",
        "agent_streaming",
        "step_completed",
        "strategy_completed",
    ]
    assert [it["seq"] for it in events] == list(range(1, 10))
    assert {it["requestId"] for it in events} == {"s"}
    assert {it["runId"] for it in events} == {run_id}
    started, step, first, piece, *_, output, done, completed, end = events
    assert (started["strategyName"], started["agents"]) == ("echo", ["a"])
    assert fields(started) == {"strategyName", "agents", "flowTree"}
    assert fields(step) == {"stepName", "message"}
    assert step["message"] == "hello"
    assert first["event"] == {"type": "step-start"}
    assert piece["event"].keys() == {"type", "text"}
    assert fields(output) <= {"agentName", "model", "contextWindow", "text", "usage", "contextUsage"}
    assert output["usage"].keys() == {"promptTokens", "completionTokens"}
    assert done["event"] == {"type": "done", "result": completed["result"]}
    assert completed["result"].keys() <= {"text", "usage", "contextUsage", "finishReason"}
    assert (end["result"], fields(end)) == ("hello and 1", {"result", "usage"})


@pytest.mark.requirement("runs.replies.prepared")
def test_a_prepared_run(daemon: DaemonProcess, client: RunClient) -> None:
    reply = client.ask("prepare_run", strategyPath=str(write_echo(daemon)))
    assert fields(reply) == {"strategyName", "agents", "flowTree", "conversation", "mcpServers"}
    assert reply["conversation"] == {"records": [], "retentionEvents": [], "inputs": []}


@pytest.mark.requirement("runs.replies.lists")
def test_lists(daemon: DaemonProcess, client: RunClient) -> None:
    (daemon.home / "strategies").mkdir()
    for name in ("b.yaml", "a.strategy.md", "notes.md", ".txt", ".hidden.yaml"):
        (daemon.home / "strategies" / name).write_text("", encoding="utf-8")
    run_id = client.run(write_echo(daemon), "x")[0]["runId"]
    listed = client.ask("list_strategies")
    assert listed["type"] == "strategy_list"
    assert listed["available"] == [
        {"name": "a", "path": "strategies/a.strategy.md"},
        {"name": "b", "path": "strategies/b.yaml"},
    ]
    assert (run_id, "completed") in [(it["runId"], it["status"]) for it in listed["runs"]]
    stored = client.ask("list_runs")
    assert (stored["type"], stored["runs"][0]["runId"]) == ("run_list", run_id)
    providers = client.ask("list_providers", scope="configured", live=False)
    assert providers["type"] == "provider_list"
    scripted = next(it for it in providers["providers"] if it["id"] == "scripted")
    assert (scripted["credentialType"], scripted["authStatus"]) == ("none", "configured")
    models = client.ask("get_available_models", modelId="ech")
    assert (models["type"], [it["id"] for it in models["models"]]) == ("available_models", ["echo"])
    assert models["models"][0]["hasCredentials"] is True


@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        ("prepare_run", {"runId": "none"}, "PREPARE_FAILED"),
        ("start_run", {"runId": "none"}, "START_FAILED"),
        ("continue_run", {"runId": "none", "input": ""}, "CONTINUE_FAILED"),
        ("steer_run", {"runId": "none", "text": "t"}, "RUN_NOT_STEERABLE"),
        ("user_input", {"runId": "none", "agentName": "a", "text": ""}, "NO_PENDING_INPUT"),
        ("subscribe", {"runId": "none"}, "SUBSCRIBE_ERROR"),
        (
            "permission_decision",
            {"runId": "none", "permissionRequestId": "p", "decision": "deny"},
            "NO_PENDING_PERMISSION",
        ),
    ],
)
@pytest.mark.requirement("runs.replies.errors")
def test_each_request_has_its_error(client: RunClient, kind: str, fields: dict[str, Any], code: str) -> None:
    error = client.ask(kind, **fields)
    assert (error["type"], error["code"]) == ("error", code)
    assert error["message"]


@pytest.mark.requirement("runs.replies.silent")
def test_some_requests_are_never_answered(client: RunClient) -> None:
    client.send("stop_run", runId="none", requestId="q")
    client.send("unsubscribe", runId="none", requestId="q")
    assert client.is_silent()


@pytest.mark.requirement("runs.frames.run_ids")
@pytest.mark.parametrize("run_id", ["../../evil", "/etc/passwd", "", "a/../b"])
def test_a_run_id_is_never_a_path(daemon: DaemonProcess, client: RunClient, run_id: str) -> None:
    before = client.ask("list_strategies")["runs"]
    error = client.ask("prepare_run", runId=run_id, strategyPath=str(write_echo(daemon)))
    assert error["code"] == "VALIDATION_ERROR"
    assert client.ask("list_strategies")["runs"] == before


@pytest.mark.requirement("runs.frames.text")
def test_texts_come_back_byte_for_byte(daemon: DaemonProcess, client: RunClient) -> None:
    events = client.run(write_echo(daemon, chunks=7), USER_TEXT)
    assert events[1]["message"] == USER_TEXT
    pieces = [it["event"] for it in events if it["type"] == "agent_streaming"]
    assert "".join(it["text"] for it in pieces if it["type"] == "text") == USER_TEXT
    assert events[-1]["result"] == USER_TEXT


@pytest.mark.requirement("runs.requests.order")
def test_requests_may_be_sent_together(daemon: DaemonProcess, client: RunClient) -> None:
    path = str(write_echo(daemon))
    client.send("prepare_run", runId="together", strategyPath=path)
    client.send("start_run", runId="together", input="x")
    client.send("ping", requestId="p")
    messages = client.until(*ENDS)
    kinds = [it["type"] for it in messages if it["type"] != "pong"]
    assert kinds[:2] == ["run_prepared", "strategy_started"]
    assert any(it.get("requestId") == "p" for it in (*messages, *client.rest()))


@pytest.mark.requirement("runs.events.same_bytes")
def test_all_subscribers_get_the_same_bytes(daemon: DaemonProcess) -> None:
    with run_client(daemon) as one, run_client(daemon) as two:
        run_id = one.prepare(write_echo(daemon, chunks=3))
        assert one.is_silent()
        two.send("subscribe", runId=run_id)
        assert two.is_silent()
        one.send("start_run", runId=run_id, input="x y z", requestId="s")
        assert frames_until(one, "strategy_completed") == frames_until(two, "strategy_completed")


def frames_until(client: RunClient, kind: str) -> list[bytes]:
    """Read whole frames up to one with this text."""
    frames = [b""]
    while kind.encode() not in frames[-1]:
        frames.append(client.socket.recv(PATIENCE, decode=False))
    return frames


@pytest.mark.long
@pytest.mark.requirement("runs.subscriptions.once")
def test_subscribing_twice_and_leaving(daemon: DaemonProcess) -> None:
    # The run goes on after its first answer: pieces of text are only sent again as long as it runs.
    path = write_echo(daemon, "word " * 20, chunks=20, chunkDelayMs=10, cycles=5)
    with run_client(daemon) as starter, run_client(daemon) as reader:
        run_id = starter.prepare(path)
        for kind in ("subscribe", "subscribe"):
            reader.send(kind, runId=run_id)
        assert reader.is_silent()
        starter.send("start_run", runId=run_id)
        seen = [reader.receive() for _ in range(5)]
        assert [it["seq"] for it in seen] == [1, 2, 3, 4, 5]
        reader.send("unsubscribe", runId=run_id)
        reader.ask("ping")
        before = [it["seq"] for it in reader.rest()]
        starter.until("agent_output")
        reader.send("subscribe", runId=run_id, afterSeq=3)
        later = [it["seq"] for it in reader.until(*ENDS)]
    assert before == list(range(6, 6 + len(before)))
    assert later == list(range(4, later[-1] + 1))


@pytest.mark.long
@pytest.mark.requirement("runs.subscriptions.stored")
def test_a_long_history_is_delivered_as_fast_as_it_is_read(daemon: DaemonProcess) -> None:
    with run_client(daemon) as starter, run_client(daemon) as reader:
        # So slow that a client in Python keeps up with what happens.
        events = starter.run(write_echo(daemon, "ok", cycles=2500, chunkDelayMs=1))
        reader.send("subscribe", runId=events[0]["runId"], afterSeq=1)
        received = reader.until(*ENDS)
    assert len(received) > 10_000
    got = {it["seq"] for it in received}
    assert received == [it for it in events if it["seq"] in got]
    missing = [it for it in events[1:] if it["seq"] not in got]
    assert all(it["type"] == "agent_streaming" and it["event"]["type"] == "text" for it in missing)


@pytest.mark.requirement("runs.outbox.slow", "runs.outbox.limit")
def test_a_reader_that_stops_does_not_hold_the_run(daemon: DaemonProcess) -> None:
    # One run is less than what may wait for a reader, however late it is; all of them are more.
    path = write_echo(daemon, "x" * 500_000, chunks=50)
    with run_client(daemon) as starter, run_client(daemon) as slow:
        run_ids = [starter.prepare(path) for _ in range(20)]
        for run_id in run_ids:
            slow.send("subscribe", runId=run_id)
        assert slow.is_silent()
        seen = []
        for run_id in run_ids:
            starter.send("start_run", runId=run_id)
            events = starter.until(*ENDS)
            assert events[-1]["type"] == "strategy_completed"
            assert [it["seq"] for it in events] == list(range(1, len(events) + 1))
            seen += events
        check_partial(slow, seen)


def check_partial(slow: RunClient, complete: list[Message]) -> None:
    """What a slow reader gets is in order, and lacks pieces only, or ends with 1013."""
    received: list[Message] = []
    close_code = None
    while close_code is None and received[-1:] != complete[-1:]:
        more, close_code = slow.until_end()
        received += more
    assert close_code in {None, 1013}
    assert len(received) < len(complete)
    got = {(it["runId"], it["seq"]) for it in received}
    assert received == [it for it in complete if (it["runId"], it["seq"]) in got]
    earlier = complete[: complete.index(received[-1])]
    missing = [it for it in earlier if (it["runId"], it["seq"]) not in got]
    assert all(it["type"] == "agent_streaming" and it["event"]["type"] == "text" for it in missing)
