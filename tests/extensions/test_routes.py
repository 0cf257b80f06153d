"""Third-party HTTP and WebSocket routes, behind the same request guard as the protocol."""

from __future__ import annotations

import http.client
import json
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from stringd.config import REQUEST_LIMIT
from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually

PATIENCE = 10
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "c3Ryb2tlcyBvZiBnYXJkZQ==",
}
GUARDED = [
    ({"Origin": "https://garden.example"}, 403, "Origin is not allowed: https://garden.example"),
    ({"Host": "garden.example"}, 421, "Host is not loopback: garden.example"),
]


def live(garden: DaemonProcess, **headers: str) -> ClientConnection:
    """A WebSocket to a topic of the garden."""
    url = f"ws://127.0.0.1:{garden.port}/garden/live/plot:north"
    return connect(url, additional_headers=headers, open_timeout=PATIENCE, max_size=None)


def say(socket: ClientConnection, text: str) -> str | None:
    """The content, or else the system line, of the reply to one command."""
    socket.send(text)
    reply: dict[str, str | None] = json.loads(socket.recv(PATIENCE))
    return reply["content"] or reply["system"]


def test_a_route_runs_a_command_through_the_daemon(garden: DaemonProcess) -> None:
    assert garden.request("POST", "/garden/run/plot:north", "carrot").json() == {
        "system": "Sown: carrot",
        "content": None,
        "code": None,
    }
    assert garden.exec("//harvest", "plot:north").content.endswith("\ncarrot")


def test_route_can_query_sessions_users_and_commands(garden: DaemonProcess) -> None:
    garden.exec("/water", "web:main")
    described = garden.request("GET", "/garden").json()
    assert described["sessions"] == ["web:main"]
    assert {"rake", "info"} <= set(described["commands"])
    assert described["home"] == garden.request("GET", "/users").json()["users"][0]["home"]


def test_websocket_runs_commands_in_sequence(garden: DaemonProcess) -> None:
    with live(garden) as socket:
        assert say(socket, "carrot") == "Sown: carrot"
        assert say(socket, "beet") == "Sown: beet"
        assert say(socket, "//harvest") == "carrot\nbeet"


def test_daemon_with_open_websockets_stops_cleanly(garden: DaemonProcess) -> None:
    with live(garden) as socket:
        assert say(socket, "carrot") == "Sown: carrot"
        assert garden.stop() == 0
        with pytest.raises(ConnectionClosed):
            socket.recv(PATIENCE)


@pytest.mark.parametrize("path", ["/garden", "/garden/collapse", "/garden/nowhere", "/garden/shed/corner"])
def test_every_answer_has_the_cors_headers(path: str, garden: DaemonProcess) -> None:
    answer = garden.request("GET", path)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Access-Control-Allow-Headers"] == "Content-Type, X-User-Id"


def test_a_preflight_of_a_route_is_answered(garden: DaemonProcess) -> None:
    answer = garden.request("OPTIONS", "/garden/run/plot:north")
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (204, "*")


@pytest.mark.parametrize(("headers", "status", "reason"), GUARDED)
def test_foreign_page_cannot_call_a_route(
    headers: dict[str, str], status: int, reason: str, garden: DaemonProcess
) -> None:
    answer = garden.request("POST", "/garden/run/plot:north", "carrot", headers)
    assert (answer.status, answer.json()) == (status, {"error": reason})
    assert garden.request("GET", "/sessions").json() == {"sessions": []}


@pytest.mark.parametrize(("headers", "status", "reason"), GUARDED)
def test_foreign_page_cannot_open_a_websocket(
    headers: dict[str, str], status: int, reason: str, garden: DaemonProcess
) -> None:
    answer = garden.request("GET", "/garden/live/plot:north", headers=UPGRADE | headers)
    assert (answer.status, answer.json()) == (status, {"error": reason})


def test_allowed_origin_is_accepted(garden: DaemonProcess) -> None:
    with live(garden, Origin="http://localhost:8000") as socket:
        assert say(socket, "carrot") == "Sown: carrot"


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_the_cap_never_reaches_a_route(chunked: bool, garden: DaemonProcess) -> None:
    body = b"x" * (REQUEST_LIMIT + 1)
    assert send(garden, body, chunked=chunked) == (
        413,
        {"error": f"Request body exceeds {REQUEST_LIMIT} bytes"},
    )
    assert garden.request("GET", "/sessions").json() == {"sessions": []}


def test_a_message_over_the_cap_closes_the_websocket(garden: DaemonProcess) -> None:
    with live(garden) as socket:
        assert (say(socket, "x" * (REQUEST_LIMIT - 1)) or "").startswith("[output 1] 10,485,")
        socket.send("x" * (REQUEST_LIMIT + 1))
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(PATIENCE)
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 1009
    assert garden.request("GET", "/health").json()["ok"] is True


def test_route_failure_is_logged_and_hidden_from_the_client(garden: DaemonProcess) -> None:
    answer = garden.request("GET", "/garden/collapse")
    assert (answer.status, answer.json()["error"]) == (500, "INTERNAL_ERROR")
    assert "secret" not in answer.text
    eventually(lambda: "RuntimeError: a secret of the garden" in garden.stderr())


@pytest.mark.parametrize(
    ("user", "topic", "status", "error"),
    [
        ("default", "ivy:main", 400, "Invalid topic: ivy:main"),
        ("nobody", "file:main", 401, "Unknown user: default"),
    ],
)
def test_refusal_in_a_route_is_answered_like_the_protocol(
    user: str, topic: str, status: int, error: str, garden: DaemonProcess
) -> None:
    if user != "default":
        garden.request("DELETE", "/users/default")
    answer = garden.request("POST", f"/garden/run/{topic}", "/info")
    assert (answer.status, answer.json()) == (status, {"error": error})


def test_refusal_of_a_websocket_is_answered(garden: DaemonProcess) -> None:
    answer = garden.request("GET", "/garden/live/ivy:main", headers=UPGRADE)
    assert (answer.status, answer.json()) == (400, {"error": "Invalid topic: ivy:main"})


def test_an_application_may_be_mounted(garden: DaemonProcess) -> None:
    assert garden.request("GET", "/garden/shed/corner").text == "a spade"


def send(garden: DaemonProcess, body: bytes, *, chunked: bool) -> tuple[int, object]:
    """Post a body to a route, with its length or in chunks."""
    connection = http.client.HTTPConnection("127.0.0.1", garden.port, timeout=PATIENCE)
    try:
        payload = iter([body]) if chunked else body
        # The daemon may answer and leave before it has all of it.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.request("POST", "/garden/run/plot:north", payload, encode_chunked=chunked)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()
