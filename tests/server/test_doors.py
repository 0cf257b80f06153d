"""Doors of plugins: what they are in front of, what they listen on, and TLS."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually
from tests.server.impatient_daemons import Start, impatient
from tests.server.tls_certificates import Authority

PLUGIN = Path(__file__).with_name("doorkeeper.py")
PATIENCE = 20.0
POST = b"POST /exec HTTP/1.1\r\nHost: localhost\r\nX-User-Id: default\r\nContent-Length: %d\r\n\r\n"
SECOND_DOOR = """
from stringd.plugin import *

@hookimpl
def stringd_doors():
    return [Door(name="second", wrap=lambda it: it, listen=lambda: [Listening(name="x", host="::1", port=0)])]
"""


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls") / "authority")


@pytest.fixture(scope="module")
def sockets(authority: Authority) -> str:
    """What the doorkeeper listens on: without TLS, with it, and with certificates of clients."""
    server = str(authority.issue("server"))
    described = [
        ("plain", "127.0.0.1", 0, "", ""),
        ("public", "127.0.0.1", 0, server, ""),
        ("nodes", "127.0.0.1", 0, server, str(authority.ca)),
    ]
    return json.dumps(described)


Kept = Callable[..., DaemonProcess]


@pytest.fixture
def keep(start_daemon: Start, sockets: str, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """Start a daemon with the doorkeeper whose deadlines last the given time."""

    def start(seconds: float = 600.0, listening: str = sockets) -> DaemonProcess:
        monkeypatch.setenv("DOORKEEPER", listening)
        return impatient(start_daemon, plugins=[PLUGIN], seconds=seconds)

    return start


def ports(daemon: DaemonProcess) -> dict[str, int]:
    found: dict[str, int] = daemon.request("GET", "/door").json()["ports"]
    return found


@contextmanager
def tls(daemon: DaemonProcess, context: ssl.SSLContext, name: str = "public") -> Iterator[ssl.SSLSocket]:
    plain = socket.create_connection(("127.0.0.1", ports(daemon)[name]), timeout=PATIENCE)
    with plain, context.wrap_socket(plain, server_hostname="127.0.0.1") as client:
        yield client


def ask(daemon: DaemonProcess, context: ssl.SSLContext, name: str, path: str) -> bytes:
    """Return the body of an answer over TLS."""
    port = ports(daemon)[name]
    with closing(http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE, context=context)) as client:
        client.request("GET", path)
        return client.getresponse().read()


def rest(client: socket.socket) -> bytes:
    received = b""
    with suppress(ConnectionResetError, ssl.SSLEOFError):
        while chunk := client.recv(65536):
            received += chunk
    return received


@pytest.mark.requirement("doors.listen", "doors.name", "doors.tls")
def test_a_door_listens_on_sockets_that_requests_name(keep: Kept, authority: Authority) -> None:
    daemon, context = keep(), authority.client_context("client")
    seen = daemon.request("GET", "/door").json()
    assert (seen["by"], seen["scheme"], seen["port"]) == ("plain", "http", daemon.port)
    assert daemon.request("HEAD", "/door").headers["by"] == "plain"
    assert seen["ports"]["plain"] == daemon.port
    for name in ("public", "nodes"):
        answer = json.loads(ask(daemon, context, name, "/door"))
        assert (answer["by"], answer["scheme"]) == (name, "https")
    announced = [f"stringd listening on http://127.0.0.1:{daemon.port} (plain)"]
    announced += [
        f"stringd listening on https://127.0.0.1:{seen['ports'][name]} ({name})"
        for name in ("public", "nodes")
    ]
    assert announced == [line for line in daemon.stderr().splitlines() if "listening on" in line]


@pytest.mark.requirement("doors.name")
def test_websockets_name_the_socket(keep: Kept, authority: Authority) -> None:
    daemon = keep()
    with connect(f"ws://127.0.0.1:{daemon.port}/echo") as client:
        assert client.recv(PATIENCE) == "plain"
    url = f"wss://127.0.0.1:{ports(daemon)['public']}/echo"
    with connect(url, ssl=authority.client_context(), max_size=None) as client:
        assert client.recv(PATIENCE) == "public"
        client.send("x" * 5_000_000)
        assert client.recv(PATIENCE) == "x" * 5_000_000
        client.send("x" * 11_000_000)
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(PATIENCE)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


@pytest.mark.requirement("doors.cors")
def test_a_door_closes_cors(keep: Kept) -> None:
    daemon = keep()
    malformed = socket.create_connection(("127.0.0.1", daemon.port), timeout=PATIENCE)
    with malformed:
        malformed.sendall(b"no HTTP\r\n\r\n")
        assert b"access-control" not in rest(malformed).lower()
    for method, path in (("GET", "/health"), ("GET", "/nowhere"), ("OPTIONS", "/exec"), ("GET", "/door")):
        names = daemon.request(method, path).headers.keys()
        assert [it for it in names if it.lower().startswith("access-control")] == []
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=PATIENCE) as client:
        body = b'{"cmd": "/info"}'
        client.sendall((POST % len(body)).replace(b"Host:", b"Connection: close\r\nHost:") + body)
        answer = rest(client)
    assert b"event: done" in answer
    assert b"access-control" not in answer


@pytest.mark.requirement("doors.errors")
def test_errors_of_a_door_are_answered(keep: Kept) -> None:
    daemon = keep()
    refused, broken = daemon.request("GET", "/door/refused"), daemon.request("GET", "/door/broken")
    assert (refused.status, refused.headers["X-Error-Code"]) == (400, "INVALID_TOPIC")
    assert refused.headers["Retry-After"] == "1"
    assert refused.json() == {"error": "Invalid topic: no:topic"}
    assert (broken.status, broken.json()["error"]) == (500, "INTERNAL_ERROR")
    assert "the door is broken" in daemon.stderr()
    assert daemon.exec("/info").head["ok"]


@pytest.mark.requirement("doors.mutual")
def test_clients_without_a_trusted_certificate_are_refused(
    keep: Kept, authority: Authority, tmp_path: Path
) -> None:
    daemon, stranger = keep(), Authority(tmp_path / "stranger")
    unknown = ssl.create_default_context(cafile=authority.ca)
    unknown.load_cert_chain(stranger.issue("client"))
    for context in (authority.client_context(), unknown):
        with pytest.raises(OSError, match=r"alert|reset|closed"):
            ask(daemon, context, "nodes", "/door")
    with tls(daemon, authority.client_context("client"), "nodes") as client:
        client.sendall(POST % 17 + b' {"cmd": "/info"}')
        assert client.recv(100_000).startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.requirement("doors.peer")
def test_requests_have_the_certificate_of_their_client(keep: Kept, authority: Authority) -> None:
    daemon, context = keep(), authority.client_context("client")
    subject = [[["commonName", "client"]]]
    assert json.loads(ask(daemon, context, "nodes", "/door"))["peer"] == subject
    url = f"wss://127.0.0.1:{ports(daemon)['nodes']}/echo"
    with connect(url, ssl=context) as client:
        assert client.response is not None
        assert json.loads(client.response.headers["peer"]) == subject
    assert json.loads(ask(daemon, context, "public", "/door"))["peer"] is None
    assert daemon.request("GET", "/door").json()["peer"] is None


@pytest.mark.requirement("doors.handshake")
@pytest.mark.parametrize(
    "sent", [b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n"], ids=["none", "part", "http"]
)
def test_handshakes_that_do_not_end_are_closed(keep: Kept, sent: bytes) -> None:
    daemon = keep(seconds=1.0)
    with socket.create_connection(("127.0.0.1", ports(daemon)["public"]), timeout=PATIENCE) as client:
        client.sendall(sent)
        assert b"HTTP" not in rest(client)


@pytest.mark.requirement("doors.handshake")
def test_handshakes_are_few_at_a_time(keep: Kept, authority: Authority) -> None:
    daemon, context = keep(), authority.client_context()
    before, port = descriptors(daemon), ports(daemon)["public"]
    with ExitStack() as stack:
        for _ in range(400):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            client.sendall(b"\x16\x03\x01")
        eventually(lambda: descriptors(daemon) <= before + 260)
        assert b"public" in ask(daemon, context, "public", "/door")
    eventually(lambda: descriptors(daemon) <= before + 1)


def descriptors(daemon: DaemonProcess) -> int:
    return len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir()))


@pytest.mark.requirement("doors.deadlines")
def test_deadlines_hold_with_tls(keep: Kept, authority: Authority) -> None:
    daemon, context = keep(seconds=1.0), authority.client_context()
    with tls(daemon, context) as head, tls(daemon, context) as body, tls(daemon, context) as idle:
        head.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n")
        body.sendall(POST % 100 + b"{")
        assert rest(head).startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        assert rest(body).startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        assert rest(idle) == b""


@pytest.mark.requirement("doors.deadlines")
def test_an_unread_answer_is_dropped_with_tls(keep: Kept, authority: Authority) -> None:
    daemon = keep(seconds=1.0)
    before = descriptors(daemon)
    body = b'{"cmd": "/exec head -c 900000 /dev/zero | tr \'\\\\0\' x"}'
    with tls(daemon, authority.client_context()) as client:
        client.sendall((POST % len(body) + body) * 24)
        eventually(lambda: descriptors(daemon) > before)
        eventually(lambda: descriptors(daemon) <= before + 1)


@pytest.mark.requirement("doors.listen")
def test_only_one_door_listens(start_daemon: Start, sockets: str, tmp_path: Path) -> None:
    second = tmp_path / "second.py"
    second.write_text(SECOND_DOOR, encoding="utf-8")
    failed = start_daemon("--plugins", f"{PLUGIN},{second}", env={"DOORKEEPER": sockets}, ready=False)
    assert failed.process.wait(PATIENCE) == 1
    assert "what the daemon listens on of second" in failed.stderr()


@pytest.mark.requirement("doors.listen")
@pytest.mark.parametrize(
    ("described", "message"),
    [
        ([("a", "127.0.0.1", 0, "", ""), ("a", "127.0.0.1", 0, "", "")], "different names, not: a, a"),
        ([("a", "192.0.2.1", 0, "", "")], "cannot listen on 192.0.2.1:0: Cannot assign requested address"),
        ([("a", "no..host", 0, "", "")], "cannot listen on no..host:0: not a host name"),
        ([("a", "", 0, "", "")], "listening a needs a host, not ''"),
    ],
)
def test_what_cannot_be_listened_on_is_said(
    start_daemon: Start, described: list[object], message: str
) -> None:
    env = {"DOORKEEPER": json.dumps(described)}
    failed = start_daemon("--plugins", str(PLUGIN), env=env, ready=False)
    assert failed.process.wait(PATIENCE) == 1
    assert message in failed.stderr()


@pytest.mark.requirement("doors.listen")
def test_a_door_without_sockets_is_in_front_of_the_port(keep: Kept) -> None:
    daemon = keep(listening="[]")
    assert daemon.request("GET", "/door").json()["by"] == "loopback"
    assert f"stringd listening on http://127.0.0.1:{daemon.port}\n" in daemon.stderr()
