"""One request and one reply on each connection."""

from __future__ import annotations

import json
import socket
import time

import pytest

from tests.approval.listening.fake_broker import FakeBroker, Listening, reply_of
from tests.approval.requests import line

LARGEST = 1_048_576


def padded(size: int) -> bytes:
    """Return a request of this many bytes, with its newline."""
    text = line(padding="")
    return line(padding="x" * (size - len(text)))


@pytest.mark.requirement("approval.exchange.one")
def test_a_request_is_answered_with_one_line(listening: Listening) -> None:
    reply = listening.ask(line(["ls"], ["wc"], id="a"))
    assert reply == {
        "id": "a",
        "status": "ok",
        "stages": [{"exit_code": 0, "stderr": ""}, {"exit_code": 0, "stderr": ""}],
        "stdout": "",
    }


@pytest.mark.requirement("approval.exchange.discarded")
def test_what_follows_the_newline_is_discarded(listening: Listening, broker: FakeBroker) -> None:
    reply = listening.ask(line(id="a") + line(id="b") + b"x" * 100_000)
    assert reply["id"] == "a"
    assert broker.requests.get(timeout=5).id == "a"
    assert broker.requests.empty()


@pytest.mark.requirement("approval.exchange.half_close", "approval.exchange.hangup")
def test_a_client_that_half_closes_gets_its_reply(listening: Listening, broker: FakeBroker) -> None:
    with listening.connect() as client:
        client.sendall(line(["ask"], id="a"))
        client.shutdown(socket.SHUT_WR)
        broker.requests.get(timeout=5)
        broker.approve.set()
        assert reply_of(client)["status"] == "ok"


@pytest.mark.requirement("approval.exchange.hangup")
def test_hanging_up_is_told_to_the_broker(listening: Listening, broker: FakeBroker) -> None:
    with listening.connect() as client:
        client.sendall(line(["ask"], id="a"))
        broker.requests.get(timeout=5)
    assert broker.withdrawn.get(timeout=5) == "a"


@pytest.mark.requirement("approval.exchange.hangup")
def test_hanging_up_after_half_closing_is_told_too(listening: Listening, broker: FakeBroker) -> None:
    with listening.connect() as client:
        client.sendall(line(["ask"], id="a") + b"more")
        client.shutdown(socket.SHUT_WR)
        broker.requests.get(timeout=5)
    assert broker.withdrawn.get(timeout=5) == "a"


@pytest.mark.requirement("approval.exchange.nothing")
def test_nothing_sent_gets_no_reply(listening: Listening) -> None:
    assert listening.ask(b"", half_close=True) == {}


@pytest.mark.requirement("approval.exchange.partial")
def test_a_partial_line_lacks_its_newline(listening: Listening) -> None:
    reply = listening.ask(line(id="a").rstrip(b"\n"), half_close=True)
    assert reply == {"id": "", "status": "error", "message": reply["message"]}
    assert "newline" in reply["message"]
    assert "invalid JSON" not in reply["message"]


@pytest.mark.requirement("approval.exchange.empty")
def test_an_empty_line_is_an_error(listening: Listening) -> None:
    assert listening.ask(b"\n")["status"] == "error"


@pytest.mark.requirement("approval.exchange.size")
def test_the_largest_line_is_accepted(listening: Listening) -> None:
    assert listening.ask(padded(LARGEST))["status"] == "ok"


@pytest.mark.requirement("approval.exchange.size")
@pytest.mark.parametrize("data", [padded(LARGEST + 1), b"x" * (LARGEST + 1), b"x" * 5 * LARGEST])
def test_one_byte_more_is_an_error(listening: Listening, data: bytes) -> None:
    assert "exceeds maximum size" in listening.ask(data)["message"]


@pytest.mark.requirement("approval.exchange.size")
def test_the_limit_is_noticed_before_the_line_ends(listening: Listening) -> None:
    with listening.connect() as client:
        client.sendall(b"x" * (LARGEST + 1))
        assert "exceeds maximum size" in reply_of(client)["message"]


@pytest.mark.requirement("approval.exchange.silent")
def test_nothing_is_said_first(listening: Listening) -> None:
    with listening.connect() as client:
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):
            client.recv(1)


@pytest.mark.long
@pytest.mark.requirement("approval.exchange.deadline")
def test_a_slow_sender_meets_a_deadline(listening: Listening) -> None:
    with listening.connect() as client:
        begun = time.monotonic()
        client.settimeout(0.5)
        data = b""
        while not data and time.monotonic() - begun < 60:
            client.send(b" ")
            try:
                data = client.recv(1 << 16)
            except TimeoutError:
                continue
    assert "deadline" in json.loads(data)["message"]
    assert time.monotonic() - begun > 9


def test_a_failing_broker_is_an_error(listening: Listening, broker: FakeBroker) -> None:
    reply = listening.ask(line(["fail"], id="a"))
    assert (reply["id"], reply["status"]) == ("a", "error")
    assert listening.ask(line())["status"] == "ok"


@pytest.mark.requirement("approval.request.ping")
def test_a_ping_reaches_no_broker(listening: Listening, broker: FakeBroker) -> None:
    assert listening.ask(b'{"action":"ping","id":"p"}\n') == {"id": "p", "status": "ok", "message": "pong"}
    assert broker.requests.empty()
