"""POST /exec: refusals before a command runs, and the order of the checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.waits import running, waiting
from tests.protocol.wire import execute

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect

USER = {"X-User-Id": "default"}
NO_HEADER = (400, {"error": "X-User-Id header required"})
UNKNOWN_USER = (401, {"error": "Unknown user: nobody"})
BAD_JSON = (400, {"error": 'Invalid JSON body — expected { "cmd": "..." }'})
NO_CMD = (400, {"error": 'Empty command — provide non-empty "cmd" field'})
BAD_TOPIC = (400, {"error": "Invalid topic: no topic"})
FULL = (
    429,
    {"error": "QUEUE_FULL", "message": "Topic default:file:main has 16 commands queued. Try again later."},
)
MALFORMED = [
    b"",
    b"{",
    b"{'cmd': '/info'}",
    b"/info",
    b'{"cmd": "/info"',
    b'{"cmd": "/info"}}',
    b'{"cmd": "/info",}',
    b'{"cmd": "/in\nfo"}',
    b'{"cmd": "/info", "x": NaN}',
    b'{"cmd": "/info", "x": Infinity}',
    b'{"cmd": "\xff\xfe"}',
    b'{"cmd": "/info \xed\xa0\x80"}',
    b"\x00",
    b"[" * 100_000,
    b'{"cmd":' * 50_000,
]
NO_OBJECT = [b"[]", b'"/info"', b"5", b"null", b"true", b'[{"cmd": "/info"}]']
Expected = tuple[int, dict[str, str]]


def send(daemon: DaemonProcess, body: object, headers: dict[str, str] = USER) -> tuple[int, Any]:
    answer = daemon.request("POST", "/exec", body, headers=headers)
    return answer.status, answer.text if answer.status == 200 else answer.json()


@pytest.mark.requirement("exec.error.header", "header.user.required")
@pytest.mark.parametrize("headers", [{}, {"X-User-Id": ""}, {"X-User-Id": "  "}, {"User-Id": "default"}])
def test_user_header_is_required(shared: DaemonProcess, headers: dict[str, str]) -> None:
    assert send(shared, {"cmd": "/info"}, headers) == NO_HEADER


@pytest.mark.requirement("exec.error.user")
@pytest.mark.parametrize("user", ["nobody", "Default", "default2", "nobody/else", "a b"])
def test_unregistered_user_is_401(shared: DaemonProcess, user: str) -> None:
    answer = send(shared, {"cmd": "/info"}, {"X-User-Id": user})
    assert answer == (401, {"error": f"Unknown user: {user}"})


@pytest.mark.requirement("exec.error.json", "http.no_500")
@pytest.mark.parametrize("body", MALFORMED, ids=lambda body: repr(body[:30]))
def test_malformed_json_is_400(shared: DaemonProcess, body: bytes) -> None:
    assert send(shared, body) == BAD_JSON


@pytest.mark.requirement("exec.error.json", "http.bad_shape")
@pytest.mark.parametrize("body", NO_OBJECT)
def test_json_that_is_not_an_object_is_400(shared: DaemonProcess, body: bytes) -> None:
    assert send(shared, body) == BAD_JSON


@pytest.mark.requirement("exec.error.cmd", "command.trim")
@pytest.mark.parametrize(
    "body", [{}, {"cmd": ""}, {"cmd": None}, {"cmd": "  "}, {"cmd": "\n\t\n"}, {"command": "/info"}]
)
def test_command_must_not_be_empty(shared: DaemonProcess, body: dict[str, Any]) -> None:
    assert send(shared, body | {"topic": "file:main"}) == NO_CMD


@pytest.mark.requirement("http.bad_shape")
@pytest.mark.parametrize("field", ["cmd", "request_id"])
@pytest.mark.parametrize("wrong", [5, 0, True, False, [], ["/info"], {}, 1.5])
def test_field_of_another_type_is_400(shared: DaemonProcess, field: str, wrong: object) -> None:
    status, answer = send(shared, {"cmd": "/info", "topic": "file:main", field: wrong})
    assert status == 400
    assert isinstance(answer["error"], str)


@pytest.mark.requirement("exec.validation")
def test_first_error_is_reported(shared: DaemonProcess) -> None:
    nobody = {"X-User-Id": "nobody"}
    empty_and_invalid = {"cmd": "", "topic": "no topic"}
    cases: list[tuple[object, dict[str, str], Expected]] = [
        (b"{", {}, NO_HEADER),
        (empty_and_invalid, {}, NO_HEADER),
        (b"{", nobody, UNKNOWN_USER),
        (empty_and_invalid, nobody, UNKNOWN_USER),
        ({"cmd": "/info", "topic": "no topic"}, nobody, UNKNOWN_USER),
        (b"[]", USER, BAD_JSON),
        (b'{"topic": "no topic"', USER, BAD_JSON),
        (empty_and_invalid, USER, NO_CMD),
        ({"cmd": "/info", "topic": "no topic"}, USER, BAD_TOPIC),
    ]
    for body, headers, expected in cases:
        assert (body, *send(shared, body, headers)) == (body, *expected)


@pytest.mark.requirement("exec.validation", "exec.queue.full")
def test_full_queue_is_checked_last(probed: DaemonProcess, connect: Connect) -> None:
    for count in range(17):
        connect(probed).send(execute("/nap 3" if count == 0 else "/info"))
        running(probed) if count == 0 else waiting(probed, count)
    assert send(probed, {"cmd": "/info", "topic": "file:main"}) == FULL
    mistakes: list[tuple[object, dict[str, str], Expected]] = [
        ({"cmd": "/info", "topic": "file:main"}, {}, NO_HEADER),
        ({"cmd": "/info", "topic": "file:main"}, {"X-User-Id": "nobody"}, UNKNOWN_USER),
        (b"{", USER, BAD_JSON),
        ({"cmd": "", "topic": "file:main"}, USER, NO_CMD),
        ({"cmd": "/info", "topic": "no topic"}, USER, BAD_TOPIC),
    ]
    for body, headers, expected in mistakes:
        assert send(probed, body, headers) == expected


@pytest.mark.requirement("exec.error.topic", "error.reason")
@pytest.mark.parametrize("text", ['"', "\\", "<script>", "𝒞", "x\n"])
def test_reason_quotes_the_raw_text(shared: DaemonProcess, text: str) -> None:
    answer = send(shared, {"cmd": "/info", "topic": f"file: {text} "})
    assert answer == (400, {"error": f"Invalid topic: file: {text} "})
