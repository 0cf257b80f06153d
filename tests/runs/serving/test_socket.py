"""The WebSocket at `/ws`: what is accepted, answered, refused and closed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import InvalidStatus

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually
from tests.runs.clients import ENDS, RunClient, run_client
from tests.runs.serving.echo_strategies import write_echo

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def client(daemon: DaemonProcess) -> Iterator[RunClient]:
    with run_client(daemon) as connected:
        yield connected


@pytest.mark.requirement("runs.frames.envelope")
def test_a_ping_is_answered(client: RunClient) -> None:
    client.send("ping", requestId="a")
    pong = client.receive()
    assert TIME.fullmatch(pong.pop("ts"))
    assert pong == {"type": "pong", "requestId": "a"}
    client.send("ping")
    assert client.receive().keys() == {"type", "ts"}


@pytest.mark.requirement("runs.frames.request_id")
@pytest.mark.parametrize("request_id", ["", "\0 \u2028", "{input} %s {{ x }}", "é" * 10_000])
def test_a_request_id_is_echoed(client: RunClient, request_id: str) -> None:
    client.send("ping", requestId=request_id)
    assert client.receive()["requestId"] == request_id


@pytest.mark.requirement("runs.frames.burst")
def test_requests_that_arrive_together_are_all_answered(client: RunClient) -> None:
    payload, many = b'{"type":"ping"}', 20_000
    unmasked = bytes([0x81, 0x80 | len(payload), 0, 0, 0, 0]) + payload
    client.socket.socket.sendall(unmasked * many)
    assert all(client.receive()["type"] == "pong" for _ in range(many))


@pytest.mark.requirement("runs.frames.strict_json")
@pytest.mark.parametrize(
    "frame",
    [
        "",
        '{"type":"ping","x":NaN}',
        "[" * 100_000,
        '{"type":"ping","x":' + "1" * 5000 + "}",
        '{"type":"ping","requestId":"\\ud800"}',
        b'{"type":"ping",}',
    ],
)
def test_a_bad_frame_leaves_the_connection_alive(client: RunClient, frame: str | bytes) -> None:
    client.send_frame(frame)
    error = client.receive()
    assert (error["type"], error["code"]) == ("error", "PARSE_ERROR")
    assert "requestId" not in error
    assert client.is_silent()


@pytest.mark.requirement("runs.frames.validation")
def test_a_wrong_message_is_refused_with_all_reasons(client: RunClient) -> None:
    error = client.ask("steer_run", runId="../../evil", text=3)
    assert (error["type"], error["code"]) == ("error", "VALIDATION_ERROR")
    assert error["message"] == (
        "runId: expected 1 to 100 letters, digits, - and _; text: expected a string that is not empty"
    )
    assert client.is_silent()


@pytest.mark.requirement("runs.frames.binary")
def test_binary_frames_are_text(client: RunClient) -> None:
    client.send_frame(b'{"type":"ping","requestId":"\xc3\xa9"}')
    assert client.receive()["requestId"] == "é"


@pytest.mark.requirement("runs.frames.fragments")
@pytest.mark.parametrize("is_text", [True, False])
def test_fragments_are_reassembled(client: RunClient, is_text: bool) -> None:
    frame = json.dumps({"type": "ping", "requestId": "aé" * 1000}, ensure_ascii=False).encode()
    client.socket.send((frame[it : it + 333] for it in range(0, len(frame), 333)), text=is_text)
    assert client.receive()["requestId"] == "aé" * 1000


@pytest.mark.requirement("runs.frames.utf8")
@pytest.mark.parametrize("is_text", [True, False])
def test_invalid_utf_8_closes_the_connection(client: RunClient, is_text: bool, daemon: DaemonProcess) -> None:
    client.socket.send(b'{"type":"ping","requestId":"\xff"}', text=is_text)
    assert client.close_code() == 1007
    assert "Traceback" not in daemon.stderr()


@pytest.mark.requirement("runs.frames.size")
def test_a_message_of_10_mib_is_read(client: RunClient) -> None:
    frame = json.dumps({"type": "ping", "requestId": ""})
    client.send_frame(frame[:-2] + "x" * (10 * 2**20 - len(frame)) + frame[-2:])
    assert len(client.receive()["requestId"]) == 10 * 2**20 - len(frame)


@pytest.mark.requirement("runs.frames.size")
@pytest.mark.parametrize("size", [10 * 2**20 + 1, 64 * 2**20])
def test_a_larger_message_closes_the_connection(client: RunClient, size: int, daemon: DaemonProcess) -> None:
    client.send_frame(b"x" * size)
    assert client.close_code() == 1009
    assert "Traceback" not in daemon.stderr()


@pytest.mark.requirement("runs.socket.upgrade")
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_request_without_an_upgrade_is_refused(daemon: DaemonProcess, method: str) -> None:
    assert daemon.request(method, "/ws").status == 400


@pytest.mark.requirement("runs.socket.guard")
@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Origin": "https://elsewhere.example"}, 403), ({"Host": "elsewhere.example"}, 421)],
)
def test_foreign_pages_are_refused(daemon: DaemonProcess, headers: dict[str, str], status: int) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    assert daemon.request("GET", "/ws", headers=upgrade | headers).status == status


@pytest.mark.requirement("runs.socket.user")
@pytest.mark.parametrize(
    ("query", "headers", "user"),
    [
        ("", {}, "default"),
        ("", {"X_User_Id": "ann"}, "ann"),
        ("?user_id=ann", {}, "ann"),
        ("?user_id=nobody", {"X_User_Id": "ann"}, "ann"),
        ("?user_id=", {}, "default"),
        ("?user_id=%C3%A9", {}, "é"),
        ("", {"X_User_Id": "é"}, "é"),
    ],
)
def test_the_user_of_a_connection(
    daemon: DaemonProcess, query: str, headers: dict[str, str], user: str
) -> None:
    path = write_echo(daemon)
    for name in ("ann", "é"):
        daemon.register(name, daemon.home)
    encoded = {name: value.encode().decode("latin-1") for name, value in headers.items()}
    with run_client(daemon, query, **encoded) as client:
        run_id = client.prepare(path)
        assert client.ask("prepare_run", runId=run_id)["type"] == "run_prepared"
    with run_client(daemon, "?user_id=" + quote(user)) as same:
        assert same.ask("prepare_run", runId=run_id)["type"] == "run_prepared"
    with run_client(daemon, "?user_id=" + ("default" if user == "ann" else "ann")) as other:
        assert other.ask("prepare_run", runId=run_id)["code"] == "PREPARE_FAILED"
        assert other.ask("subscribe", runId=run_id)["code"] == "SUBSCRIBE_ERROR"
        assert run_id not in [it["runId"] for it in other.ask("list_strategies")["runs"]]


@pytest.mark.requirement("runs.socket.unregistered")
def test_a_user_may_be_registered_later(daemon: DaemonProcess) -> None:
    path = write_echo(daemon)
    with run_client(daemon, "?user_id=late") as client:
        assert client.ask("ping")["type"] == "pong"
        for kind in ("list_strategies", "list_runs", "list_providers", "get_available_models"):
            assert client.ask(kind)["type"] != "error"
        error = client.ask("prepare_run", strategyPath=str(path))
        assert (error["code"], error["message"]) == (
            "PREPARE_FAILED",
            "Unknown user: late. Register it with POST /users.",
        )
        assert client.ask("start_run", runId="r")["code"] == "START_FAILED"
        daemon.register("late", daemon.home)
        assert client.run(path, "x")[-1]["type"] == "strategy_completed"


@pytest.mark.requirement("runs.socket.operator")
def test_a_wrong_token_is_refused(daemon: DaemonProcess) -> None:
    with pytest.raises(InvalidStatus) as refused, run_client(daemon, X_Operator_Token="wrong"):
        pass
    assert refused.value.response.status_code == 403
    assert json.loads(refused.value.response.body)["error"] == "OPERATOR_REQUIRED"


@pytest.mark.requirement("runs.socket.health")
def test_health_counts_clients(daemon: DaemonProcess) -> None:
    before = daemon.request("GET", "/health").json()
    assert (before["status"], before["connectedClients"]) == ("ok", 0)
    with run_client(daemon) as client, run_client(daemon):
        health = daemon.request("GET", "/health").json()
        pending = client.prepare(write_echo(daemon))
        prepared = daemon.request("GET", "/health").json()
        client.send("stop_run", runId=pending)
        client.until(*ENDS)
        stopped = daemon.request("GET", "/health").json()
    assert health["connectedClients"] == 2
    assert prepared["activeRuns"] == before["activeRuns"] + 1
    assert stopped["activeRuns"] == before["activeRuns"]
    assert health["uptime"] >= before["uptime"]
    assert isinstance(health["uptime"], int)
    eventually(lambda: daemon.request("GET", "/health").json()["connectedClients"] == 0)


@pytest.mark.requirement("runs.socket.shutdown")
def test_connections_are_closed_when_the_daemon_stops(start_daemon: Callable[..., DaemonProcess]) -> None:
    daemon = start_daemon()
    daemon.register("default")
    with run_client(daemon) as client, run_client(daemon) as other:
        assert daemon.stop() == 0
        assert (client.close_code(), other.close_code()) == (1001, 1001)


FRAMES = st.one_of(
    st.text(),
    st.builds(
        json.dumps, st.dictionaries(st.sampled_from(["type", "requestId", "runId", "text"]), st.text())
    ),
    st.binary(max_size=40).filter(lambda it: not it.isascii()).map(lambda it: it.decode("latin-1")),
)


@given(frames=st.lists(FRAMES, max_size=5))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_frames_are_answered_or_refused(client: RunClient, frames: list[str]) -> None:
    for frame in frames:
        client.send_frame(frame)
        assert client.receive()["type"] in {"error", "pong", "strategy_list", "run_list"}
    assert client.is_silent()
