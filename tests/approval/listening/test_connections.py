"""Many clients at once, slow ones, and the end of the daemon."""

from __future__ import annotations

import errno
import socket
from contextlib import ExitStack

import pytest

from stringd_approval.listening import approval_listener
from tests.approval.listening.fake_broker import FakeBroker, Listening, reply_of
from tests.approval.requests import line
from tests.questions.people import until

MOST = 64


@pytest.mark.requirement("approval.exchange.busy")
def test_the_65th_client_is_told_busy_and_all_are_served_afterwards(listening: Listening) -> None:
    with ExitStack() as idle:
        for _ in range(MOST):
            idle.enter_context(listening.connect())
        reply = listening.ask(line(id="late"))
        assert (reply["id"], reply["status"]) == ("", "error")
        assert "busy" in reply["message"]
    assert [listening.ask(line())["status"] for _ in range(MOST)] == ["ok"] * MOST


@pytest.mark.requirement("approval.exchange.busy")
def test_a_client_that_cannot_be_served_is_closed_and_others_are_served(
    listening: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_: socket.socket) -> int:
        raise OSError(errno.ENOPROTOOPT, "no credentials")

    with monkeypatch.context() as patched:
        patched.setattr(approval_listener, "_peer_uid", unknown)
        with listening.connect() as client:
            assert client.recv(1) == b""
    assert listening.ask(line())["status"] == "ok"


def test_a_reply_of_16_mib_arrives(listening: Listening, broker: FakeBroker) -> None:
    broker.output = bytes(range(256)) * 65536
    reply = listening.ask(line())
    assert len(reply["stdout"]) == 4 * -(-len(broker.output) // 3)


@pytest.mark.requirement("approval.exchange.shutdown")
def test_clients_that_wait_at_the_end_get_an_error(listening: Listening, broker: FakeBroker) -> None:
    with listening.connect() as asking, listening.connect() as idle:
        asking.sendall(line(["ask"], id="a"))
        broker.requests.get(timeout=5)
        listening.end()
        reply = reply_of(asking)
        assert (reply["id"], reply["status"]) == ("a", "error")
        assert reply_of(idle) == {}


@pytest.mark.requirement("approval.socket.removed")
def test_stopping_removes_the_socket_and_lets_requests_end(listening: Listening, broker: FakeBroker) -> None:
    with listening.connect() as asking:
        asking.sendall(line(["ask"], id="a"))
        broker.requests.get(timeout=5)
        listening.stop()
        while listening.path.exists():
            pass
        broker.approve.set()
        assert reply_of(asking)["status"] == "ok"


def test_many_clients_at_once(listening: Listening) -> None:
    clients: list[socket.socket] = []
    with ExitStack() as stack:
        for number in range(MOST):
            client = stack.enter_context(listening.connect())
            client.sendall(line(id=str(number)))
            clients.append(client)
        assert [reply_of(it)["id"] for it in clients] == [str(number) for number in range(MOST)]


@pytest.mark.long
@pytest.mark.requirement("approval.exchange.slow_reader")
def test_clients_that_do_not_read_lose_their_connections(listening: Listening, broker: FakeBroker) -> None:
    broker.output = bytes(1 << 20)
    with ExitStack() as stack:
        silent = [stack.enter_context(listening.connect()) for _ in range(MOST)]
        for client in silent:
            client.sendall(line())
        for _ in silent:
            broker.requests.get(timeout=20)
        assert "busy" in listening.ask(line())["message"]
        until(lambda: listening.ask(line())["status"] == "ok")
        received = b"".join(iter(lambda: silent[0].recv(1 << 20), b""))
        assert 0 < len(received) < len(broker.output)
