"""WebSockets of plugins: what is sent and received, and how they end."""

from __future__ import annotations

import json
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from bench.memory import memory_of
from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually
from tests.server.impatient_daemons import Start, impatient

PATIENCE = 20
SOURCE = """
import asyncio, json
from starlette.routing import WebSocketRoute
from stringd.plugin import *

@hookimpl
def stringd_routes(runtime):
    async def send(socket):
        await socket.accept()
        async for sizes in socket.iter_json():
            await socket.send({"type": "websocket.send", "texts": [b"x" * size for size in sizes]})
    async def flood(socket):
        await socket.accept()
        async def write():
            while True:
                await socket.send({"type": "websocket.send", "texts": [b"x" * 1000] * 64})
        writing = asyncio.create_task(write())
        await socket.receive_text()
        writing.cancel()
        await socket.close(1013, "too slow")
    async def polite(socket):
        await socket.accept()
        await runtime.stopping()
        await asyncio.sleep(0.2)
        await socket.send_text("farewell")
        await socket.close(4000, "stopped")
    async def refusing(socket):
        runtime.topic_name("no:topic")
    async def idle(socket):
        await socket.accept()
        async for _ in socket.iter_text():
            pass
    return [WebSocketRoute(f"/{it.__name__}", it) for it in (send, flood, polite, refusing, idle)]
"""


@pytest.fixture
def sockets_plugin(tmp_path: Path) -> Path:
    path = tmp_path / "sockets.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


@pytest.fixture
def sockets(start_daemon: Start, sockets_plugin: Path) -> DaemonProcess:
    return start_daemon("--plugins", str(sockets_plugin))


def opened(daemon: DaemonProcess, path: str) -> ClientConnection:
    url = f"ws://127.0.0.1:{daemon.port}/{path}"
    return connect(url, open_timeout=PATIENCE, close_timeout=PATIENCE, max_size=None)


def end_of(client: ClientConnection) -> tuple[int, str] | None:
    """Read everything, and return why the daemon closed."""
    try:
        while True:
            client.recv(PATIENCE)
    except ConnectionClosed as closed:
        return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else None


@contextmanager
def raw(daemon: DaemonProcess, path: str) -> Iterator[socket.socket]:
    """A socket after the handshake, for clients that behave badly."""
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=PATIENCE) as client:
        client.sendall(
            f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = client.recv(1)
            assert byte, "the daemon has closed without an answer"
            head += byte
        assert head.startswith(b"HTTP/1.1 101 ")
        yield client


def frame(opcode: int, payload: bytes) -> bytes:
    """A short frame of a client, masked with zeros."""
    assert len(payload) < 126
    return bytes((0x80 | opcode, 0x80 | len(payload))) + bytes(4) + payload


def test_several_texts_are_messages_of_their_own(sockets: DaemonProcess) -> None:
    sizes = [0, 1, 125, 126, 65_535, 65_536, 200_000]
    with opened(sockets, "send") as client:
        client.send(json.dumps(sizes))
        assert [client.recv(PATIENCE) for _ in sizes] == ["x" * size for size in sizes]


def test_a_refused_handshake_is_no_error(sockets: DaemonProcess) -> None:
    with pytest.raises(InvalidStatus) as refused:
        opened(sockets, "refusing")
    assert refused.value.response.status_code == 400
    assert "ERROR" not in sockets.stderr()


def test_messages_are_not_compressed(sockets: DaemonProcess) -> None:
    with opened(sockets, "idle") as client:
        assert client.protocol.extensions == []


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (frame(0x1, b"\xff"), 1007),
        (bytes((0x82, 0xFF)) + struct.pack("!Q", 2**26) + bytes(4), 1009),
        (frame(0x3, b""), 1002),
        (b"\x81\x01x", 1002),
    ],
    ids=["no UTF-8", "too large", "an unknown opcode", "not masked"],
)
def test_a_client_can_read_why_its_message_was_refused(sockets: DaemonProcess, bad: bytes, code: int) -> None:
    before = connections(sockets)
    with raw(sockets, "idle") as client:
        client.sendall(bad)
        # What it has sent by then must not have the system drop the closing frame.
        for _ in range(64):
            client.sendall(frame(0x2, bytes(122)) * 512)
        received = client.recv(2**10)
        assert received[0] == 0x88
        assert struct.unpack("!H", received[2:4]) == (code,)
        client.shutdown(socket.SHUT_WR)
        while client.recv(2**10):
            pass
    eventually(lambda: connections(sockets) == before)
    assert "Traceback" not in sockets.stderr()


def test_a_closing_frame_does_not_wait_for_the_client(sockets: DaemonProcess) -> None:
    with opened(sockets, "flood") as client:
        client.recv(PATIENCE)
        client.send("enough")
        assert end_of(client) == (1013, "too slow")


def test_a_client_that_never_reads_is_left(start_daemon: Start, sockets_plugin: Path) -> None:
    daemon = impatient(start_daemon, plugins=[sockets_plugin], seconds=0.5)
    before = connections(daemon)
    with raw(daemon, "flood") as client:
        client.sendall(frame(0x1, b"enough"))
        eventually(lambda: connections(daemon) == before)


def test_a_client_may_take_its_time_to_read_why_it_was_closed(sockets: DaemonProcess) -> None:
    with raw(sockets, "flood") as client:
        client.sendall(frame(0x1, b"enough"))
        eventually(lambda: sockets.request("GET", "/health").status)
        received = bytearray()
        while not received.endswith(b"\x88\x0a\x03\xf5too slow"):
            chunk = client.recv(2**20)
            assert chunk, "the daemon has closed without a word"
            received += chunk


def test_a_client_that_reads_late_gets_the_answer_to_its_ping(sockets: DaemonProcess) -> None:
    with raw(sockets, "send") as client:
        client.sendall(frame(0x1, b"[10000000, 10000000, 10000000]"))
        # What has arrived is more than the client's side holds, so the daemon waits for it to be read.
        eventually(lambda: len(client.recv(2**16, socket.MSG_PEEK)) == 2**16)
        client.sendall(frame(0x9, b"lost") + frame(0x9, b"still there?"))
        client.sendall(frame(0x1, b"[0]"))
        received = bytearray()
        while not received.endswith(b"\x81\x00"):
            received += client.recv(2**20)
    assert b"\x8a\x0cstill there?" in received


@pytest.mark.long
def test_pings_of_a_client_that_does_not_read_take_no_memory(sockets: DaemonProcess) -> None:
    with raw(sockets, "idle") as client:
        pings = frame(0x9, bytes(125)) * 1000
        for _ in range(100):
            client.sendall(pings)
        before = memory_of(sockets.process.pid).resident
        for _ in range(400):
            client.sendall(pings)
        assert memory_of(sockets.process.pid).resident - before < 10 * 1024


def test_routes_end_their_connections_when_the_daemon_stops(sockets: DaemonProcess) -> None:
    with opened(sockets, "polite") as polite, opened(sockets, "idle") as idle:
        assert sockets.stop() == 0
        assert polite.recv(PATIENCE) == "farewell"
        assert end_of(polite) == (4000, "stopped")
        assert end_of(idle) == (1001, "")
    assert "Traceback" not in sockets.stderr()


def test_websockets_give_way_when_descriptors_run_out(sockets_plugin: Path, start_daemon: Start) -> None:
    limited = ("prlimit", "--nofile=200:200", sys.executable, "-m", "stringd")
    daemon = start_daemon("--plugins", str(sockets_plugin), program=limited)
    daemon.register("default", daemon.home)
    refused = 0
    with ExitStack() as clients:
        for _ in range(260):
            try:
                clients.enter_context(raw(daemon, "idle"))
            except AssertionError:
                # On a busy machine, a client whose request has not come may be the one that gives way.
                refused += 1
        assert refused < 20
        for _ in range(3):
            assert daemon.exec("/info", "file:main").head["ok"]


def connections(daemon: DaemonProcess) -> int:
    """How many sockets the daemon has open."""
    links = []
    for entry in Path(f"/proc/{daemon.process.pid}/fd").iterdir():
        with suppress(OSError):
            links.append(str(entry.readlink()))
    return sum(it.startswith("socket:") for it in links)
