"""WebSockets through another node."""

from __future__ import annotations

import os
import signal
import socket

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.cluster.hop.conftest import Hopper, Hoppers
from tests.cluster.hop.hopping_app import CHUNK
from tests.protocol.waits import eventually

pytestmark = pytest.mark.long

PATIENCE = 20.0
FLOOD = 1600


def client_of(node: Hopper, path: str = "/websocket") -> ClientConnection:
    url = f"ws://127.0.0.1:{node.daemon.port}{path}"
    return connect(url, additional_headers={"X-User-Id": "ann"}, max_size=None, compression=None)


def closed(client: ClientConnection) -> tuple[int, str]:
    with pytest.raises(ConnectionClosed) as raised:
        client.recv(PATIENCE)
    assert raised.value.rcvd is not None
    return raised.value.rcvd.code, raised.value.rcvd.reason


@pytest.mark.requirement("cluster.hop.websockets")
def test_messages_pass_in_both_directions(hoppers: Hoppers) -> None:
    with client_of(hoppers["a"]) as client:
        assert client.response is not None
        assert client.response.headers["x-user"] == "ann"
        for message in ("text", "é" * 100_000, b"bytes", b"\0" * 5_000_000, ""):
            client.send(message)
            assert client.recv(PATIENCE) == message


@pytest.mark.requirement("cluster.hop.websockets")
def test_the_subprotocol_is_that_of_the_application(hoppers: Hoppers) -> None:
    url = f"ws://127.0.0.1:{hoppers['a'].daemon.port}/websocket"
    subprotocols = [Subprotocol("one"), Subprotocol("two")]
    with connect(url, additional_headers={"X-User-Id": "ann"}, subprotocols=subprotocols) as client:
        assert client.subprotocol == "one"


@pytest.mark.requirement("cluster.hop.websockets")
def test_refusals_pass(hoppers: Hoppers) -> None:
    with pytest.raises(InvalidStatus) as raised, client_of(hoppers["a"], "/closed"):
        pass
    refused = raised.value.response
    assert (refused.status_code, refused.headers["x-why"], refused.body) == (403, "no", b'{"error":"no"}')


@pytest.mark.requirement("cluster.hop.websockets")
def test_closing_codes_pass_in_both_directions(hoppers: Hoppers) -> None:
    with client_of(hoppers["a"]) as client:
        client.send("close 4001")
        assert closed(client) == (4001, "as told")
    with client_of(hoppers["a"]) as client:
        client.close(4002, "enough")
    assert eventually(lambda: "closed 4002 enough" in hoppers["b"].log)


@pytest.mark.requirement("cluster.hop.disconnects")
def test_a_client_that_vanishes_has_left_there_too(hoppers: Hoppers) -> None:
    with client_of(hoppers["a"]) as client:
        client.send("x")
        assert client.recv(PATIENCE) == "x"
        client.socket.shutdown(socket.SHUT_RDWR)
        assert eventually(lambda: "closed 1005" in hoppers["b"].log)


@pytest.mark.requirement("cluster.hop.pressure")
def test_a_client_that_does_not_read_slows_the_application_down(hoppers: Hoppers) -> None:
    with connect(
        f"ws://127.0.0.1:{hoppers['a'].daemon.port}/websocket",
        additional_headers={"X-User-Id": "ann"},
        max_queue=1,
        compression=None,
    ) as client:
        client.send(f"flood {FLOOD}")
        sent = [0]

        def stands_still() -> bool:
            before, sent[0] = sent[0], int((hoppers["b"].log or ["0"])[0])
            return before == sent[0] > 0

        eventually(stands_still)
        assert sent[0] < FLOOD / 2
        for _ in range(FLOOD):
            assert client.recv(PATIENCE) == CHUNK


@pytest.mark.requirement("cluster.hop.elsewhere")
def test_a_node_without_the_home_has_the_right_one_asked(hoppers: Hoppers) -> None:
    hoppers.add("c")
    hoppers.tell("a", ann="b", moved={"ann": "c"})
    hoppers.tell("b", "c", ann="c")
    with client_of(hoppers["a"]) as client:
        client.send("x")
        assert client.recv(PATIENCE) == "x"


@pytest.mark.requirement("cluster.hop.here")
def test_a_home_that_has_come_here_is_served_here(hoppers: Hoppers) -> None:
    hoppers["b"].daemon.kill()
    hoppers.tell("a", ann="b", moved={"ann": "a"})
    with client_of(hoppers["a"]) as client:
        client.send("x")
        assert client.recv(PATIENCE) == "x"


@pytest.mark.requirement("cluster.hop.cut_streams", "cluster.hop.lease")
@pytest.mark.parametrize("how", ["killed", "paused"])
def test_a_connection_whose_node_is_lost_ends_with_a_code(hoppers: Hoppers, how: str) -> None:
    with client_of(hoppers["a"]) as client:
        client.send("x")
        assert client.recv(PATIENCE) == "x"
        if how == "killed":
            hoppers["b"].daemon.kill()
        else:
            os.kill(hoppers["b"].daemon.process.pid, signal.SIGSTOP)
            hoppers.tell("a", gone="b", ann="b")
        code, reason = closed(client)
        assert code == 1012
        assert "connect again" in reason
