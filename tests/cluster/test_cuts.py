"""Proxies carry connections, and fail in the ways that networks do."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from tests.cluster.cuts import Cut, Direction, Target
from tests.protocol.waits import eventually

SHORT = 0.1


@pytest.fixture
def echo() -> Iterator[tuple[str, int]]:
    """The address of a server that sends everything back."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while data := connection.recv(65536):
                connection.sendall(data)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield listener.getsockname()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


@pytest.fixture
def way(cut: Callable[[Target], Cut], echo: tuple[str, int]) -> Cut:
    """A proxy to the echo server."""
    return cut(echo)


@pytest.fixture
def client(way: Cut) -> Iterator[socket.socket]:
    """A connection through the proxy that has been answered once."""
    with socket.create_connection(("127.0.0.1", way.port), timeout=5) as connection:
        connection.sendall(b"hello")
        assert connection.recv(100) == b"hello"
        yield connection


def hears(client: socket.socket, seconds: float = 5) -> bytes | None:
    """Return what comes next; None if nothing does in time."""
    client.settimeout(seconds)
    try:
        return client.recv(65536)
    except TimeoutError:
        return None


def with_answer(way: Cut) -> None:
    """Open a connection through the proxy that is answered."""
    with socket.create_connection(("127.0.0.1", way.port), timeout=5) as connection:
        connection.sendall(b"again")
        assert hears(connection) == b"again"


def test_much_passes_unchanged(client: socket.socket) -> None:
    sent = bytes(range(256)) * 8192
    threading.Thread(target=client.sendall, args=(sent,), daemon=True).start()
    heard = b""
    while len(heard) < len(sent):
        heard += client.recv(65536)
    assert heard == sent


def test_end_of_stream_passes(client: socket.socket) -> None:
    client.shutdown(socket.SHUT_WR)
    assert hears(client) == b""


@pytest.mark.parametrize("directions", [(), (Direction.THERE,), (Direction.BACK,)])
def test_silent_cut_keeps_connections(
    way: Cut, client: socket.socket, directions: tuple[Direction, ...]
) -> None:
    way.drop(*directions)
    client.sendall(b"lost?")
    assert hears(client, SHORT) is None
    assert way.connections == 1
    way.heal()
    assert hears(client) == b"lost?"


def test_connections_of_a_silent_cut_are_made_after_it(way: Cut) -> None:
    way.drop()
    with socket.create_connection(("127.0.0.1", way.port), timeout=5) as late:
        late.sendall(b"late")
        assert hears(late, SHORT) is None
        way.heal()
        assert hears(late) == b"late"


def test_reset_ends_open_connections(way: Cut, client: socket.socket) -> None:
    way.reset()
    with pytest.raises(ConnectionResetError):
        hears(client)
    eventually(lambda: way.connections == 0)
    with_answer(way)


def test_refused_connections_are_reset(way: Cut) -> None:
    way.refuse()
    with pytest.raises(ConnectionResetError):
        with_answer(way)
    way.heal()
    with_answer(way)


def test_delay_is_added(way: Cut, client: socket.socket) -> None:
    way.delay(SHORT)
    began = time.monotonic()
    client.sendall(b"slow")
    assert hears(client) == b"slow"
    assert time.monotonic() - began >= 2 * SHORT
