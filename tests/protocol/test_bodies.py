"""The size limit of bodies, and rejected requests whose body is still being sent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.protocol.streams import replied
from tests.protocol.wire import chunked, request

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect
    from tests.protocol.wire import Answer

CAP = 10 * 1024 * 1024
PIECE = 64 * 1024
COMMAND = json.dumps({"cmd": "/info"}).encode()
REJECTED = [
    (404, "POST", "/nowhere", {}),
    (405, "PUT", "/users", {}),
    (400, "POST", "/exec", {}),
    (401, "POST", "/exec", {"X_User_Id": "nobody"}),
    (403, "POST", "/exec", {"X_User_Id": "default", "Origin": "https://example.org"}),
    (421, "POST", "/exec", {"X_User_Id": "default", "Host": "example.org"}),
]


def pieces(body: bytes) -> list[bytes]:
    return [body[start : start + PIECE] for start in range(0, len(body), PIECE)]


def assert_too_large(answer: Answer) -> None:
    assert answer.status == 413
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert isinstance(answer.json()["error"], str)


@pytest.mark.requirement("body.cap")
@pytest.mark.parametrize("in_chunks", [False, True])
def test_ten_mebibytes_are_read(shared: DaemonProcess, connect: Connect, in_chunks: bool) -> None:
    body = COMMAND.ljust(CAP)
    connection = connect(shared)
    if in_chunks:
        connection.send(chunked("POST", "/exec", *pieces(body), X_User_Id="default"))
    else:
        connection.send(request("POST", "/exec", body, X_User_Id="default"))
    answer = connection.receive()
    assert answer.status == 200
    assert replied(answer.body)[0]["ok"] is True


@pytest.mark.requirement("body.cap", "http.too_large", "http.drain")
@pytest.mark.parametrize("size", [CAP + 1, 2 * CAP])
@pytest.mark.parametrize("path", ["/exec", "/users", "/sessions"])
def test_one_byte_more_is_413(shared: DaemonProcess, connect: Connect, path: str, size: int) -> None:
    connection = connect(shared)
    connection.send(request("POST", path, COMMAND.ljust(size), X_User_Id="default"))
    assert_too_large(connection.receive())


@pytest.mark.requirement("http.too_large", "http.drain")
@pytest.mark.parametrize("size", [CAP + 1, 2 * CAP])
def test_one_byte_more_chunked_is_413(shared: DaemonProcess, connect: Connect, size: int) -> None:
    connection = connect(shared)
    connection.send(chunked("POST", "/exec", *pieces(COMMAND.ljust(size)), X_User_Id="default"))
    assert_too_large(connection.receive())


@pytest.mark.requirement("http.too_large")
def test_announced_length_is_refused_before_the_body(shared: DaemonProcess, connect: Connect) -> None:
    connection = connect(shared)
    connection.send(request("POST", "/exec", Content_Length=str(10**12), X_User_Id="default"))
    assert_too_large(connection.receive())


@pytest.mark.requirement("http.too_large")
def test_too_large_command_is_not_carried_out(probed: DaemonProcess, connect: Connect) -> None:
    body = json.dumps({"cmd": "/record large"}).encode().ljust(CAP + 1)
    connection = connect(probed)
    connection.send(chunked("POST", "/exec", *pieces(body), X_User_Id="default"))
    assert_too_large(connection.receive())
    assert not (probed.home / "record.txt").exists()


@pytest.mark.requirement("http.drain")
@pytest.mark.parametrize(("status", "method", "path", "headers"), REJECTED)
def test_rejected_request_with_a_long_body_gets_its_json(
    shared: DaemonProcess, connect: Connect, status: int, method: str, path: str, headers: dict[str, str]
) -> None:
    connection = connect(shared)
    connection.send(request(method, path, b" " * (CAP // 2), **headers))
    answer = connection.receive()
    assert answer.status == status
    assert isinstance(answer.json()["error"], str)
