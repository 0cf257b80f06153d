"""Responses other than results: refusals, foreign servers on the port, and closed ports."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

from stringd.client import (
    Client,
    DaemonUnreachable,
    InvalidTopic,
    PortTaken,
    QueueFull,
    QueueTimeout,
    RequestRefused,
    SessionClosed,
    ShuttingDown,
    Unavailable,
    UnknownUser,
)
from stringd.errors import BodyTooLarge, Fenced, HomeMoved, InvalidBody, OutcomeUnknown, StorageFailed
from tests.client.fake import CLOSE, FakeDaemon, http, json_answer
from tests.ports import free_port

if TYPE_CHECKING:
    from tests.client.drivers import Talk

RUN = ("exec", "file:main", "/x")


@pytest.mark.requirement("client.queue_errors", "client.no_retry")
@pytest.mark.parametrize(
    ("status", "answer", "expected"),
    [
        (429, {"error": "QUEUE_FULL", "message": "16 wait"}, QueueFull("16 wait")),
        (504, {"error": "QUEUE_TIMEOUT", "message": "too long"}, QueueTimeout("too long")),
        (410, {"error": "SESSION_CLOSED", "message": "gone"}, SessionClosed("gone")),
        (503, {"error": "SHUTTING_DOWN", "message": "bye"}, ShuttingDown("bye")),
        (503, {"error": "HOME_UNAVAILABLE", "message": "moved"}, HomeMoved("moved")),
        (503, {"error": "OUTCOME_UNKNOWN", "message": "begun"}, OutcomeUnknown("begun")),
        (503, {"error": "FENCED", "message": "taken"}, Fenced("taken")),
        (429, "no JSON", QueueFull("The daemon answered 429.")),
        (413, {"error": "Body too large"}, BodyTooLarge("Body too large")),
        (401, {"error": "Unknown user: x"}, UnknownUser("x")),
        (401, "no JSON", UnknownUser.rebuilt("The daemon answered 401.")),
        (500, {"error": "STORAGE_FAILED", "message": "full"}, StorageFailed("full")),
    ],
)
def test_refusal_raises_the_matching_exception(
    fake: FakeDaemon, talk: Talk, status: int, answer: object, expected: RequestRefused
) -> None:
    fake.answers.append([json_answer(answer, status)])
    with pytest.raises(RequestRefused) as caught:
        talk(fake.port, ("prepare",), RUN)
    assert type(caught.value) is type(expected)
    assert caught.value.body() == expected.body()
    assert fake.count("POST /exec") == 1


@pytest.mark.parametrize(
    ("code", "expected"),
    [("INVALID_TOPIC", InvalidTopic("a b")), ("INVALID_BODY", InvalidBody.rebuilt("Invalid topic: a b"))],
)
def test_error_code_header_selects_the_exception(
    fake: FakeDaemon, talk: Talk, code: str, expected: RequestRefused
) -> None:
    body = b'{"error": "Invalid topic: a b"}'
    fake.answers.append([http(body, 400, "application/json", f"X-Error-Code: {code}")])
    with pytest.raises(RequestRefused) as caught:
        talk(fake.port, RUN)
    assert type(caught.value) is type(expected)
    assert (caught.value.code, caught.value.message) == (code, expected.message)


@pytest.mark.parametrize(("status", "code"), [(401, "TOKEN_INVALID"), (429, "RATE_LIMITED")])
def test_a_known_code_is_not_taken_for_another_one_of_its_status(
    fake: FakeDaemon, talk: Talk, status: int, code: str
) -> None:
    fake.answers.append([json_answer({"error": code, "message": "No."}, status)])
    with pytest.raises(RequestRefused, match="No") as caught:
        talk(fake.port, RUN)
    assert type(caught.value) is RequestRefused
    assert (caught.value.status, caught.value.code) == (status, code)


@pytest.mark.parametrize("code", ["POLICY", None])
def test_unknown_refusal_keeps_status_and_code(fake: FakeDaemon, talk: Talk, code: str | None) -> None:
    body = {"error": "No."} if code is None else {"error": code, "message": "No."}
    fake.answers.append([json_answer(body, 403)])
    with pytest.raises(RequestRefused, match="No") as caught:
        talk(fake.port, RUN)
    assert (caught.value.status, caught.value.code) == (403, code)
    assert not isinstance(caught.value, Unavailable)


def test_truncated_refusal_is_a_refusal(fake: FakeDaemon, talk: Talk) -> None:
    fake.answers.append([http(b'{"error": "QUEUE_FULL", "mess', 429)[:-5], CLOSE])
    with pytest.raises(QueueFull):
        talk(fake.port, RUN)


def test_a_refused_chanflow_raises(fake: FakeDaemon, talk: Talk) -> None:
    fake.routes["POST /chanflow"] = [json_answer({"error": "Unknown user: default"}, 401)]
    with pytest.raises(UnknownUser):
        talk(fake.port, ("chanflow", "x"))


@pytest.mark.parametrize(
    "script",
    [
        [http(b"<html>", kind="text/html")],
        [json_answer({"ok": True})],
        [json_answer({"error": "Not found"}, 404)],
        [http(b"[1]")],
        [b"220 mail.example ESMTP\r\n", CLOSE],
    ],
)
@pytest.mark.requirement("client.health_first")
def test_foreign_server_raises_port_taken(fake: FakeDaemon, talk: Talk, script: Any) -> None:
    fake.routes |= {"GET /health": script, "POST /exec": script}
    with pytest.raises(PortTaken, match="stringd"):
        talk(fake.port, RUN)
    with pytest.raises(PortTaken, match="stringd"):
        talk(fake.port, RUN, home="/h")
    assert fake.count("POST /exec") == 1


@pytest.mark.requirement("client.health_first")
def test_silent_port_is_unreachable(fake: FakeDaemon, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stringd.client.sync.PING_SECONDS", 0.2)
    fake.routes |= {"GET /health": [], "POST /exec": []}
    with pytest.raises(DaemonUnreachable):
        talk(fake.port, RUN)
    assert fake.count("POST /exec") == 1


@pytest.mark.parametrize("step", [RUN, ("health",), ("users",), ("chanflow", "x")])
def test_closed_port_is_unreachable(talk: Talk, step: tuple[str, ...]) -> None:
    with pytest.raises(DaemonUnreachable, match="No daemon answers on port"):
        talk(free_port(), step, start=False)


def test_early_refusal_of_a_large_body_is_read(fake: FakeDaemon) -> None:
    early = socket.create_server(("127.0.0.1", 0))

    def refuse() -> None:
        connection, _ = early.accept()
        connection.recv(1024)
        connection.sendall(json_answer({"error": "Body too large"}, 413))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 20):
            pass
        connection.close()

    thread = threading.Thread(target=refuse)
    thread.start()
    with Client(port=early.getsockname()[1]) as client:
        client.prepared = True
        with pytest.raises(BodyTooLarge):
            client.exec("file:main", "/x " + "y" * 11_000_000)
    thread.join()
    early.close()
