"""No body makes the daemon answer 500, hang or stop."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.protocol.streams import replied
from tests.protocol.wire import request

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect
    from tests.protocol.wire import Answer

BOUNDED = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
HEADERS = {"X_User_Id": "default"}
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)
FIELDS = {
    "/exec": st.fixed_dictionaries({}, optional={"cmd": VALUES, "topic": VALUES, "request_id": VALUES}),
    "/users": st.fixed_dictionaries({}, optional={"id": VALUES, "home": VALUES, "allowedPaths": VALUES}),
    "/sessions": st.fixed_dictionaries({}, optional={"user_id": VALUES, "topic": VALUES}),
}
PATHS = list(FIELDS)
ODD = [
    '{"cmd": "/info", "cmd": "/help", "id": "a", "id": "b", "user_id": "c", "user_id": 5}',
    '{"cmd": 1e999, "id": -1e999, "user_id": 1e999}',
    '{"cmd": ' + "9" * 10_000 + "}",
    '{"cmd": "/info", "request_id": ' + "9" * 10_000 + "}",
    '{"cmd": "/info \\ud800", "id": "\\ud800", "user_id": "\\ud800", "home": "/\\ud800"}',
    '{"cmd": "/\\ud800"}',
    '{"cmd": "/info", "request_id": "\\ud800"}',
    '{"cmd": "/info", "topic": "\\ud800"}',
    '{"cmd": "/set {a} = \\"\\ud800\\""}',
    '{"cmd": "/exec echo \\u0000"}',
    '{"cmd": "/exec echo \\ud800"}',
    '{"cmd": "/help \\u0000"}',
    '{"cmd": "/topics \\ud800"}',
    '{"id": "\\u0000", "home": "/\\u0000", "user_id": "\\u0000"}',
    '{"id": "x", "home": "/home", "allowedPaths": ["/\\u0000", "/\\ud800"]}',
    '\ufeff{"cmd": "/info"}',
]
ODD_PATHS = [
    ("GET", "/sessions?user_id=%ff%fe"),
    ("GET", "/sessions?%"),
    ("GET", "/sessions?user_id=a&user_id=b"),
    ("DELETE", "/users/%ff"),
    ("DELETE", "/users/%00"),
    ("DELETE", "/sessions/%ff/file:main"),
    ("DELETE", "/sessions/default/%00"),
    ("GET", "//"),
    ("GET", "/%"),
    ("GET", "/" + "a" * 20_000),
]


def survives(daemon: DaemonProcess, connect: Connect, path: str, body: bytes) -> Answer:
    connection = connect(daemon)
    connection.send(request("POST", path, body, **HEADERS) + request("GET", "/health"))
    answer, health = connection.receive(), connection.receive()
    connection.close()
    assert answer.status < 500
    assert answer.headers["access-control-allow-origin"] == "*"
    assert health.json()["ok"] is True
    if answer.headers["content-type"] == "text/event-stream":
        assert replied(answer.body)[0]["code"] != "INTERNAL_ERROR"
    else:
        assert isinstance(answer.json(), dict)
    return answer


def harmless(value: Any) -> bool:
    """Runs no shell and names no directory outside the test."""
    text = json.dumps(value)
    return "/exec" not in text and '"home": "/' not in text


@pytest.mark.requirement("http.no_500")
@pytest.mark.parametrize("path", PATHS)
def test_arbitrary_bytes(shared: DaemonProcess, connect: Connect, path: str) -> None:
    @BOUNDED
    @given(st.binary(max_size=300))
    @example(b"\xff")
    def check(body: bytes) -> None:
        assert survives(shared, connect, path, body).status == 400

    check()


@pytest.mark.requirement("http.no_500", "http.bad_shape")
@pytest.mark.parametrize("path", PATHS)
def test_arbitrary_json(shared: DaemonProcess, connect: Connect, path: str) -> None:
    @BOUNDED
    @given(VALUES)
    def check(value: Any) -> None:
        assert survives(shared, connect, path, json.dumps(value).encode()).status == 400

    check()


@pytest.mark.requirement("http.no_500")
@pytest.mark.parametrize("path", PATHS)
def test_arbitrary_values_of_the_fields(shared: DaemonProcess, connect: Connect, path: str) -> None:
    @BOUNDED
    @given(FIELDS[path].filter(harmless))
    def check(value: dict[str, Any]) -> None:
        survives(shared, connect, path, json.dumps(value).encode())

    check()


@pytest.mark.requirement("http.no_500")
def test_arbitrary_commands(shared: DaemonProcess, connect: Connect) -> None:
    words = st.sampled_from(["/help", "/info", "/set", "/topics", "/close", "/SET", "//set", "/", ""])
    rest = st.text() | st.sampled_from([' {a} = "', " {a} = ", ' $A = "x"', " --", " \x00", "\n```{a}\nx"])

    @BOUNDED
    @given(words, rest, st.text(max_size=5))
    def check(word: str, argument: str, request_id: str) -> None:
        body = {"cmd": f"{word} {argument}", "request_id": request_id}
        answer = survives(shared, connect, "/exec", json.dumps(body).encode())
        if answer.status == 200:
            assert replied(answer.body)[0]["request_id"] == request_id

    check()


@pytest.mark.requirement("http.no_500")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", ODD, ids=lambda body: body[:30].encode("unicode_escape").decode())
def test_odd_json(shared: DaemonProcess, connect: Connect, path: str, body: str) -> None:
    survives(shared, connect, path, body.encode())


@pytest.mark.requirement("http.no_500")
@pytest.mark.parametrize("depth", [100, 900, 5_000, 100_000])
@pytest.mark.parametrize("path", PATHS)
def test_deep_nesting(shared: DaemonProcess, connect: Connect, path: str, depth: int) -> None:
    nested = b'{"x": ' + b"[" * depth + b"]" * depth + b"}"
    survives(shared, connect, path, nested)
    survives(shared, connect, path, b"[" * depth)


@pytest.mark.requirement("http.no_500")
@pytest.mark.parametrize(
    "header", [b"nul\0", b"\xed\xa0\x80", b"\xff", b"x" * 5000], ids=lambda header: header[:4]
)
def test_odd_user_headers(shared: DaemonProcess, connect: Connect, header: bytes) -> None:
    connection = connect(shared)
    connection.send(request("POST", "/exec", b'{"cmd": "/info"}', X_User_Id="?").replace(b"?", header))
    assert connection.receive().status in {400, 401, 431}
    assert shared.request("GET", "/health").status == 200


@pytest.mark.requirement("http.no_500")
@pytest.mark.parametrize(("method", "path"), ODD_PATHS)
def test_odd_paths(shared: DaemonProcess, connect: Connect, method: str, path: str) -> None:
    connection = connect(shared)
    connection.send(request(method, path, b"", **HEADERS) + request("GET", "/health"))
    answer, health = connection.receive(), connection.receive()
    assert (answer.status < 500, health.status) == (True, 200)
    assert isinstance(answer.json(), dict)


@pytest.mark.requirement("http.no_500")
def test_arbitrary_chanflow(shared: DaemonProcess, connect: Connect) -> None:
    @BOUNDED
    @given(st.binary(max_size=200))
    def check(body: bytes) -> None:
        connection = connect(shared)
        connection.send(request("POST", "/chanflow", body, Content_Type="text/plain", **HEADERS))
        assert connection.receive().status < 500
        connection.close()

    check()
