"""Streams and WebSockets at the door: they want a token, and end with it."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.cluster.access.door_client import STRANGER, Doorstep, bearer

REVOKED_WITHIN = 5.0
PATIENCE = 15.0
EXPIRE = "UPDATE stringd.tokens SET expires = clock_timestamp() + interval '1s' WHERE user_id = '{}'"


@contextmanager
def streaming(
    door: Doorstep, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
) -> Iterator[http.client.HTTPResponse]:
    """Open a stream that has begun."""
    with closing(http.client.HTTPConnection("127.0.0.1", door.node.port, timeout=PATIENCE)) as client:
        client.request(method, path, body, dict(headers))
        response = client.getresponse()
        assert response.status == 200
        yield response


def socket_to(
    door: Doorstep, path: str, headers: Mapping[str, str], subprotocols: Sequence[Subprotocol] = ()
) -> ClientConnection:
    url = f"ws://127.0.0.1:{door.node.port}{path}"
    return connect(url, additional_headers=dict(headers), subprotocols=subprotocols or None)


def read_to_end(socket: ClientConnection) -> None:
    while True:
        socket.recv(PATIENCE)


@contextmanager
def soon() -> Iterator[None]:
    """Fail if this takes longer than a revoked token may be accepted."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < REVOKED_WITHIN


End = Callable[[Doorstep, str], None]


def revoke(door: Doorstep, user: str) -> None:
    door.cluster.revoke(user)


def expire(door: Doorstep, user: str) -> None:
    door.cluster.sql(EXPIRE.format(user))


@pytest.mark.requirement("cluster.door.streams")
@pytest.mark.parametrize(
    ("path", "scope", "end"),
    [
        ("/events", "read", revoke),
        ("/events", "exec", expire),
        ("/questions/stream", "admin", revoke),
        ("/questions/stream", "admin", expire),
    ],
)
def test_a_stream_ends_in_order_with_its_token(door: Doorstep, path: str, scope: str, end: End) -> None:
    user = f"reader{len(door.users)}"
    with streaming(door, "GET", path, None, bearer(door.new_user(user, scope))) as stream:
        assert stream.readline()
        with soon():
            end(door, user)
            stream.read()
    assert stream.isclosed()


@pytest.mark.requirement("cluster.door.streams")
def test_an_answer_that_is_awaited_ends_with_its_token(door: Doorstep) -> None:
    body = b'{"cmd": "sleep 20; touch finished", "topic": "bash:long"}'
    with streaming(door, "POST", "/exec", body, bearer(door.new_user("waiter"))) as stream, soon():
        door.cluster.revoke("waiter")
        assert b"event: done" not in stream.read()


@pytest.mark.requirement("cluster.door.streams")
@pytest.mark.parametrize("path", ["/ws", "/mcp/stdio"])
def test_a_websocket_is_closed_with_its_token(door: Doorstep, path: str) -> None:
    user = f"runner{len(door.users)}"
    with socket_to(door, path, bearer(door.new_user(user))) as socket, soon():
        door.cluster.revoke(user)
        with pytest.raises(ConnectionClosed) as closed:
            read_to_end(socket)
    assert closed.value.rcvd
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, "the token is not valid any more")


@pytest.mark.requirement("cluster.door.streams")
def test_streams_of_other_tokens_go_on(door: Doorstep) -> None:
    leaving, staying = door.new_user("leaving"), door.token("ann")
    with socket_to(door, "/ws", bearer(staying)) as stays, socket_to(door, "/ws", bearer(leaving)) as leaves:
        door.cluster.revoke("leaving")
        with pytest.raises(ConnectionClosed):
            read_to_end(leaves)
        stays.send('{"type": "ping"}')
        assert "pong" in str(stays.recv(PATIENCE))


@pytest.mark.requirement("cluster.door.handshake")
@pytest.mark.parametrize("path", ["/ws", "/mcp/stdio"])
def test_a_handshake_wants_a_token_in_its_header(door: Doorstep, path: str) -> None:
    token = door.token("ann")
    attempts = [
        (path, {}, 401),
        (path, {"X-User-Id": "ann"}, 401),
        (path, bearer(STRANGER), 401),
        (f"{path}?token={token}&access_token={token}&authorization=Bearer%20{token}", {}, 401),
        (path, bearer(door.token("ann", "read")), 403),
        (path, {**bearer(token), "X-User-Id": "bob"}, 403),
        (f"{path}?user_id=bob" if path == "/ws" else f"{path}?user=bob", bearer(token), 403),
    ]
    offered = [Subprotocol("bearer"), Subprotocol(token)]
    for where, headers, status in attempts:
        with pytest.raises(InvalidStatus) as refused, socket_to(door, where, headers, offered):
            pass
        assert refused.value.response.status_code == status, where
    with socket_to(door, path, bearer(token)) as socket:
        assert socket.subprotocol is None
