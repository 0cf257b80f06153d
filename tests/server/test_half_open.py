"""Clients that stall: every wait times out, and other clients are served meanwhile."""

from __future__ import annotations

import json
import re
import resource
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path

import pytest

from stringd.client import Client
from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually
from tests.server.impatient_daemons import Start, impatient

HEAD = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /exec HTTP/1.1\r\nHost: localhost\r\nX-User-Id: default\r\nContent-Length: %d\r\n\r\n"
PATIENCE = 30.0
BURST = """
import socket, sys
port, count, sent = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode().decode("unicode_escape").encode()
clients = []
for _ in range(count):
    client = socket.create_connection(("127.0.0.1", port), timeout=30)
    try:
        client.sendall(sent)
    except OSError:
        pass
    clients.append(client)
print("sent", flush=True)
sys.stdin.read()
"""


def connected(daemon: DaemonProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", daemon.port), timeout=PATIENCE)


def rest(client: socket.socket) -> bytes:
    """Return what comes until the daemon closes, which it must."""
    received = b""
    with suppress(ConnectionResetError):
        while chunk := client.recv(65536):
            received += chunk
    return received


def trickle(client: socket.socket, text: bytes) -> bytes:
    """Send byte by byte, always well within every deadline, until the daemon closes."""
    for byte in text:
        with suppress(OSError):
            client.send(bytes([byte]))
        if select.select([client], [], [], 0.05)[0]:
            break
    return rest(client)


def limited(descriptors: int) -> tuple[str, ...]:
    """Return a program that is a daemon which may have no more descriptors."""
    script = f'ulimit -Sn {descriptors}; ulimit -Hn {descriptors}; exec {sys.executable} -m stringd "$@"'
    return ("/bin/bash", "-c", script, "stringd")


@contextmanager
def burst(daemon: DaemonProcess, count: int, sent: bytes, *, at_once: int = 500) -> Iterator[None]:
    """Hold connections that have sent something, in processes of their own: this one has its limit, too."""
    with ExitStack() as stack:
        for _ in range(count // at_once):
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", BURST, str(daemon.port), str(at_once), repr(sent)[2:-1]],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
            )
            assert process.stdout is not None
            assert process.stdout.readline() == b"sent\n"
        yield


@pytest.mark.requirement("http.deadline.head")
@pytest.mark.parametrize("begun", [b"G", HEAD, HEAD + b"X-A: b"], ids=["a byte", "a line", "half a line"])
def test_head_has_a_deadline(start_daemon: Start, begun: bytes) -> None:
    with connected(impatient(start_daemon)) as client:
        client.sendall(begun)
        assert_timed_out(rest(client))


@pytest.mark.requirement("http.deadline.head", "http.deadline.body")
@pytest.mark.parametrize(
    "begun",
    [HEAD + b"X-A: ", POST % 100_000, POST.replace(b"Content-Length: %d", b"Transfer-Encoding: chunked")],
    ids=["head", "body", "chunks"],
)
def test_trickling_does_not_extend_the_deadline(start_daemon: Start, begun: bytes) -> None:
    with connected(impatient(start_daemon)) as client:
        client.sendall(begun)
        assert_timed_out(trickle(client, b"1\r\n \r\n" * 200 if b"chunked" in begun else b" " * 1000))


@pytest.mark.requirement("http.deadline.body")
@pytest.mark.parametrize("path", [b"/exec", b"/users", b"/chanflow"])
def test_body_has_a_deadline(start_daemon: Start, path: bytes) -> None:
    with connected(impatient(start_daemon)) as client:
        client.sendall((POST % 100).replace(b"/exec", path) + b"{")
        assert_timed_out(rest(client))


def assert_timed_out(answer: bytes) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert b"access-control-allow-origin: *" in head
    assert "did not arrive within 1 s" in json.loads(body)["error"]


@pytest.mark.requirement("http.deadline.idle")
def test_idle_connection_is_closed(start_daemon: Start) -> None:
    daemon = impatient(start_daemon)
    with connected(daemon) as silent, connected(daemon) as client:
        client.sendall(HEAD + b"\r\n")
        assert rest(client).endswith(b"}")
        assert rest(silent) == b""


@pytest.mark.requirement("http.deadline.idle")
def test_empty_lines_are_not_a_request(start_daemon: Start) -> None:
    with connected(impatient(start_daemon)) as client:
        client.sendall(HEAD + b"\r\n")
        assert trickle(client, b"\r\n" * 500).startswith(b"HTTP/1.1 200")


@pytest.mark.requirement("http.deadline.answer")
def test_a_command_takes_longer_than_any_deadline(start_daemon: Start) -> None:
    daemon = impatient(start_daemon, seconds=0.5)
    assert "late" in daemon.exec("/exec sleep 3; echo late").content


@pytest.mark.requirement("http.deadline.answer")
def test_partial_next_request_does_not_end_the_answer(start_daemon: Start) -> None:
    body = b'{"cmd": "/exec sleep 3; echo late"}'
    with connected(impatient(start_daemon, seconds=0.5)) as client:
        client.sendall(POST % len(body) + body + HEAD)
        answer = rest(client)
    assert b"late" in answer
    assert b"event: done" in answer
    assert b"HTTP/1.1 408" in answer


@pytest.mark.requirement("http.deadline.read")
def test_unread_answer_is_dropped(start_daemon: Start) -> None:
    daemon = impatient(start_daemon)
    body = b'{"cmd": "/exec head -c 900000 /dev/zero | tr \'\\\\0\' x"}'
    with connected(daemon) as client:
        client.sendall((POST % len(body) + body) * 24)
        await_end(client)
    assert daemon.request("GET", "/health").status == 200


def await_end(client: socket.socket) -> None:
    """Read nothing, and return when the daemon has closed its end."""
    deadline = time.monotonic() + PATIENCE
    established = re.compile(rf"\S+ [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:{client.getsockname()[1]:04X} 01 ")
    while established.search(Path("/proc/net/tcp").read_text()):
        assert time.monotonic() < deadline, "the connection is still there"
        time.sleep(0.1)


@pytest.mark.requirement("http.deadline.read")
@pytest.mark.parametrize(
    "last", [HEAD + b"Connection: close\r\n\r\n", b"no HTTP\r\n\r\n"], ids=["closed", "refused"]
)
def test_unread_last_answer_is_dropped(start_daemon: Start, last: bytes) -> None:
    """Even if the unread rest is too small to pause writing, as with some of these numbers of responses."""
    daemon = impatient(start_daemon)
    asking = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (b"x" * 10_000)
    before = descriptors(daemon)
    with ExitStack() as stack:
        clients = [stack.enter_context(crammed(daemon)) for _ in range(20)]
        for count, client in enumerate(clients):
            client.sendall(asking * count)
        assert daemon.request("GET", "/health").status == 200
        for client in clients:
            client.sendall(last)
        deadline = time.monotonic() + PATIENCE
        while descriptors(daemon) > before:
            assert time.monotonic() < deadline, "some connections are still there"
            time.sleep(0.1)


def crammed(daemon: DaemonProcess) -> socket.socket:
    """Connect in such a way that the system takes little that nobody reads."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    client.settimeout(PATIENCE)
    client.connect(("127.0.0.1", daemon.port))
    return client


def descriptors(daemon: DaemonProcess) -> int:
    return len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir()))


@pytest.mark.requirement("http.deadline.head")
@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: 100\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"X-Long: %s\r\n" % (b"x" * 10_000),
        b"X-A: b\r\n" * 200,
        b"X-A: \xff\xfe\r\n",
    ],
    ids=["a body", "chunks", "a long header", "many headers", "no ASCII"],
)
@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_invalid_websocket_handshake_is_answered(start_daemon: Start, headers: bytes, method: bytes) -> None:
    handshake = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    key = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    with connected(start_daemon()) as client:
        client.sendall(HEAD.replace(b"GET", method) + handshake + key + headers + b"\r\n")
        assert re.match(rb"HTTP/1.1 4\d\d ", rest(client))


@pytest.mark.long
@pytest.mark.requirement("http.deadline.read")
def test_slow_reader_gets_everything(start_daemon: Start) -> None:
    daemon = impatient(start_daemon, seconds=2)
    body = b'{"cmd": "/exec head -c 900000 /dev/zero | tr \'\\\\0\' x"}'
    with connected(daemon) as client:
        client.sendall((POST % len(body) + body) * 24)
        received = b""
        while received.count(b"event: done") < 24:
            chunk = client.recv(2**18)
            assert chunk, "the daemon has closed"
            received += chunk
            time.sleep(0.05)


@pytest.mark.requirement("http.room.bytes")
def test_unread_answers_are_bounded(start_daemon: Start) -> None:
    # Less than what pauses writing, so that it does not matter how much the system buffers.
    daemon = impatient(start_daemon, seconds=600, unread=50_000)
    body = b'{"cmd": "/exec head -c 900000 /dev/zero | tr \'\\\\0\' x", "topic": "t%d"}'
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(daemon)) for _ in range(2)]
        for number, client in enumerate(clients):
            command = body % number
            client.sendall((POST % len(command) + command) * 24)
            await_end(client)
    assert daemon.request("GET", "/health").status == 200


@pytest.mark.requirement("http.room.bytes")
def test_partial_bodies_are_bounded(start_daemon: Start) -> None:
    daemon = impatient(start_daemon, seconds=600, received=4 * 2**20)
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(daemon)) for _ in range(12)]
        for client in clients:
            client.sendall(POST % 2_000_000)
            client.sendall(b" " * 1_000_000)
        assert rest(clients[0]).startswith(b"HTTP/1.1 503 ")
        assert daemon.exec("/info").head["ok"]


@pytest.mark.long
@pytest.mark.requirement("http.room.clients")
@pytest.mark.parametrize(
    "sent",
    [b"", HEAD, POST % 100, HEAD + b"\r\n"],
    ids=["silent", "heads", "bodies", "idle"],
)
def test_two_thousand_stalled_clients_leave_room(start_daemon: Start, sent: bytes) -> None:
    daemon = start_daemon(program=limited(1024))
    daemon.register("default", daemon.home)
    with burst(daemon, 2000, sent):
        for _ in range(20):
            assert daemon.request("GET", "/health").status == 200
        assert "exit: 0" in daemon.exec("/exec echo here").content
        assert len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir())) < 1024
        before = cpu_seconds(daemon)
        time.sleep(1)
        assert cpu_seconds(daemon) - before < 0.5
    assert "cannot accept a client" not in daemon.stderr()


@pytest.mark.requirement("http.room.clients")
def test_some_room_is_kept_for_new_clients(start_daemon: Start, probe: Path) -> None:
    """Even if other connections, such as slow responses, hold all other descriptors."""
    daemon = start_daemon(program=limited(96))
    daemon.register("default", daemon.home)
    body = [json.dumps({"cmd": "/exec sleep 60", "topic": f"t{number}"}).encode() for number in range(100)]
    with ExitStack() as stack:
        for text in body:
            client = stack.enter_context(connected(daemon))
            client.sendall(POST % len(text) + text)
        for _ in range(20):
            # A client that comes while the daemon still takes in the others may be the one that makes room.
            eventually(partial(is_healthy, daemon))


def is_healthy(daemon: DaemonProcess) -> bool:
    try:
        return daemon.request("GET", "/health").status == HTTPStatus.OK
    except ConnectionError:
        return False


def cpu_seconds(daemon: DaemonProcess) -> float:
    fields = Path(f"/proc/{daemon.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


@pytest.mark.requirement("client.idle.replaced")
def test_client_survives_its_closed_idle_connection(start_daemon: Start) -> None:
    daemon = impatient(start_daemon)
    with Client("default", port=daemon.port, start=False, home=daemon.home) as client:
        client.exec("file:main", "/info")
        time.sleep(2)
        results = [client.exec("file:main", f'/set {{x{number}}} = "1"') for number in range(3)]
    assert all(result.ok for result in results)


@pytest.mark.requirement("descriptors.raised")
def test_the_soft_limit_is_raised_for_the_daemon_alone(start_daemon: Start) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    program = f'ulimit -Sn 200; exec {sys.executable} -m stringd "$@"'
    daemon = start_daemon(program=("/bin/bash", "-c", program, "stringd"))
    daemon.register("default", daemon.home)
    limits = Path(f"/proc/{daemon.process.pid}/limits").read_text()
    assert re.search(rf"Max open files +{most} ", limits)
    for topic, command in (("file:main", "/exec ulimit -Sn"), ("bash:main", "ulimit -Sn")):
        assert daemon.exec(command, topic).content.splitlines()[-1] == "200"
