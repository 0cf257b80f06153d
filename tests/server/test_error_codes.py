"""Refused requests carry their error code in a header."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess

USER = {"X-User-Id": "default"}
REFUSED = [
    ({}, {"cmd": "/info", "topic": "file:main"}, 400, "USER_REQUIRED"),
    ({"X-User-Id": "nobody"}, {"cmd": "/info", "topic": "file:main"}, 401, "UNKNOWN_USER"),
    (USER, {"cmd": "/info", "topic": "no topic"}, 400, "INVALID_TOPIC"),
    (USER, {"cmd": "", "topic": "file:main"}, 400, "INVALID_BODY"),
    (USER, b"{", 400, "INVALID_BODY"),
    (USER, b" " * (10 * 1024 * 1024 + 1), 413, "BODY_TOO_LARGE"),
    ({"Origin": "http://evil.example", **USER}, {"cmd": "/info"}, 403, "ORIGIN_NOT_ALLOWED"),
    ({"Host": "evil.example", **USER}, {"cmd": "/info"}, 421, "HOST_NOT_ALLOWED"),
    ({"User-Agent": "stringd/1", **USER}, {"cmd": "/info"}, 403, "RELAYED"),
]


@pytest.mark.parametrize(("headers", "body", "status", "code"), REFUSED)
def test_a_refused_request_carries_its_code(
    daemon: DaemonProcess, headers: dict[str, str], body: object, status: int, code: str
) -> None:
    reply = daemon.request("POST", "/exec", body, headers=headers)
    assert (reply.status, reply.headers["X-Error-Code"]) == (status, code)
    assert reply.json().keys() == {"error"}


def test_executed_command_has_no_code_header(daemon: DaemonProcess) -> None:
    reply = daemon.request("POST", "/exec", {"cmd": "/nonsense", "topic": "file:main"}, headers=USER)
    assert (reply.status, reply.headers.get("X-Error-Code")) == (200, None)
