"""HTTP: paths, methods, CORS, and unusual uses of connections."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from tests.ports import free_port
from tests.protocol.streams import body_of, replied
from tests.protocol.waits import eventually
from tests.protocol.wire import PATIENCE, execute, request

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect, LaunchStringd

ENDPOINTS = {
    "/users": {"GET", "POST"},
    "/users/default": {"DELETE"},
    "/sessions": {"GET", "POST"},
    "/sessions/default/file:main": {"DELETE"},
    "/exec": {"POST"},
    "/health": {"GET"},
    "/shutdown": {"POST"},
}
MALFORMED_PATHS = {"/sessions": {"DELETE"}}  # the protocol answers this one with 400
ANSWERS: list[tuple[str, str, object, dict[str, str], int]] = [
    ("GET", "/health", None, {}, 200),
    ("GET", "/users", None, {}, 200),
    ("GET", "/sessions", None, {}, 200),
    ("POST", "/users", {}, {}, 400),
    ("POST", "/sessions", {"user_id": "nobody", "topic": "main"}, {}, 401),
    ("POST", "/exec", {"cmd": "/info"}, {"X-User-Id": "default"}, 200),
    ("POST", "/exec", {"cmd": "/info"}, {}, 400),
    ("POST", "/exec", {"cmd": "/info"}, {"X-User-Id": "nobody"}, 401),
    ("GET", "/nowhere", None, {}, 404),
    ("PUT", "/users", None, {}, 405),
    ("OPTIONS", "/exec", None, {}, 204),
    ("POST", "/exec", b" " * (10 * 1024 * 1024 + 1), {"X-User-Id": "default"}, 413),
    ("GET", "/health", None, {"Origin": "https://example.org"}, 403),
    ("GET", "/health", None, {"Host": "example.org"}, 421),
]


@pytest.mark.requirement("cors.headers", "error.reason")
def test_every_answer_carries_the_cors_headers(shared: DaemonProcess) -> None:
    for method, path, body, headers, status in ANSWERS:
        answer = shared.request(method, path, body, headers=headers)
        seen = (answer.status, answer.headers["Access-Control-Allow-Origin"])
        assert (method, path, *seen) == (method, path, status, "*")
        assert answer.headers["Access-Control-Allow-Headers"] == "Content-Type, X-User-Id"
        if status >= 400:
            assert_reason(answer.json())


def assert_reason(error: dict[str, Any]) -> None:
    assert set(error) <= {"error", "message"}
    assert isinstance(error["error"], str)
    assert error["error"]


@pytest.mark.requirement("cors.preflight")
@pytest.mark.parametrize("path", ENDPOINTS)
def test_preflight_is_204_without_content(shared: DaemonProcess, path: str) -> None:
    asked = {"Origin": "http://localhost:5173", "Access-Control-Request-Method": "POST"}
    for headers in ({}, asked):
        answer = shared.request("OPTIONS", path, headers=headers)
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert answer.headers["Access-Control-Allow-Headers"] == "Content-Type, X-User-Id"


@pytest.mark.requirement("endpoints", "http.not_allowed")
@pytest.mark.parametrize("path", ENDPOINTS)
def test_wrong_method_is_405_and_names_the_allowed(shared: DaemonProcess, path: str) -> None:
    right = ENDPOINTS[path] | MALFORMED_PATHS.get(path, set())
    for method in {"GET", "POST", "PUT", "DELETE", "PATCH"} - right:
        answer = shared.request(method, path)
        assert (method, answer.status) == (method, 405)
        assert_reason(answer.json())
        assert set(answer.headers["Allow"].replace(" ", "").split(",")) >= ENDPOINTS[path]


@pytest.mark.requirement("http.not_found")
@pytest.mark.parametrize("path", ["/", "/nowhere", "/exec/more", "/health/", "/%2e%2e/etc/passwd"])
def test_unknown_path_is_404(shared: DaemonProcess, path: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        answer = shared.request(method, path)
        assert (method, answer.status) == (method, 404)
        assert answer.headers["Content-Type"].startswith("application/json")
        assert_reason(answer.json())


@pytest.mark.requirement("http.keep_alive", "transport.http")
def test_one_connection_serves_many_commands(shared: DaemonProcess, connect: Connect) -> None:
    connection = connect(shared)
    for number in range(200):
        connection.send(execute(f'/set {{n}} = "{number}"'))
        _, content = replied(connection.receive().body)
        assert body_of(content) == f'{{n}} = "{number}"'
    connection.send(request("GET", "/nowhere") + request("GET", "/health"))
    assert [connection.receive().status for _ in range(2)] == [404, 200]


@pytest.mark.requirement("http.pipelining")
def test_pipelined_requests_are_answered_in_order(shared: DaemonProcess, connect: Connect) -> None:
    connection = connect(shared)
    connection.send(b"".join(execute(f'/set {{n}} = "{number}"') for number in range(20)))
    answers = [body_of(replied(connection.receive().body)[1]) for _ in range(20)]
    assert answers == [f'{{n}} = "{number}"' for number in range(20)]


@pytest.mark.requirement("transport.http")
def test_short_answers_arrive_in_one_piece(shared: DaemonProcess) -> None:
    with socket.create_connection(("127.0.0.1", shared.port), timeout=PATIENCE) as client:
        for asked in (execute("/info"), request("GET", "/health"), request("GET", "/nowhere")) * 5:
            client.sendall(asked)
            head, _, body = client.recv(65536).partition(b"\r\n\r\n")
            assert f"content-length: {len(body)}\r\n".encode() in head


@pytest.mark.requirement("transport.http")
def test_head_requests_are_answered_without_a_body(shared: DaemonProcess, connect: Connect) -> None:
    connection = connect(shared)
    connection.send(request("HEAD", "/health", Connection="close"))
    assert connection.begin() == 200
    assert connection.rest() == b""


@pytest.mark.requirement("http.slow_body")
def test_slow_body_is_read_without_blocking_others(shared: DaemonProcess, connect: Connect) -> None:
    message = execute("/info")
    slow = connect(shared)
    for start in range(0, len(message), 40):
        slow.send(message[start : start + 40])
        assert shared.request("GET", "/health").status == 200
    assert slow.receive().status == 200


@pytest.mark.requirement("http.half_closed")
def test_truncated_request_executes_nothing(probed: DaemonProcess, connect: Connect) -> None:
    broken = connect(probed)
    broken.send(execute("/record half")[:-3])
    broken.end_sending()
    assert b"200 OK" not in broken.rest()
    probed.exec("/record whole")
    assert (probed.home / "record.txt").read_text(encoding="utf-8") == "whole\n"


@pytest.mark.requirement("http.half_closed", "exec.disconnect")
def test_request_of_a_half_closed_client_is_executed(probed: DaemonProcess, connect: Connect) -> None:
    half = connect(probed)
    half.send(execute("/record sent"))
    half.end_sending()
    half.rest()
    eventually(lambda: (probed.home / "record.txt").exists())
    assert probed.request("GET", "/health").status == 200


@pytest.mark.requirement("security.loopback", "transport.http")
def test_only_loopback_address_is_bound(shared: DaemonProcess) -> None:
    assert shared.request("GET", "/health").status == 200
    for address in ("127.0.0.2", "::1"):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as other:
            other.settimeout(5)
            assert other.connect_ex((address, shared.port)) != 0


@pytest.mark.requirement("body.json")
@pytest.mark.parametrize(
    "media_type", ["application/json", "application/json; charset=utf-8", "Application/JSON"]
)
def test_json_bodies_are_read(shared: DaemonProcess, media_type: str) -> None:
    headers = {"Content-Type": media_type}
    answer = shared.request("POST", "/sessions", b'{"user_id": "default", "topic": "main"}', headers=headers)
    assert answer.status == 200


@pytest.mark.requirement("security.no_auth", "header.user.ignored")
@pytest.mark.parametrize("user", [None, "default", "nobody"])
def test_endpoints_without_a_user_ignore_the_header(shared: DaemonProcess, user: str | None) -> None:
    headers = {"X-User-Id": user} if user else {}
    assert shared.request("GET", "/health", headers=headers).status == 200
    assert shared.request("GET", "/users", headers=headers).status == 200
    body = {"id": "other", "home": str(shared.home)}
    assert shared.request("POST", "/users", body, headers=headers).json()["user_id"] == "other"
    assert shared.request("DELETE", "/users/other", headers=headers).json()["user_id"] == "other"


@pytest.mark.requirement("transport.port.env")
def test_port_comes_from_the_environment(launch_stringd: LaunchStringd) -> None:
    port = free_port()
    assert launch_stringd(env={"STRINGD_PORT": str(port)}) == port
