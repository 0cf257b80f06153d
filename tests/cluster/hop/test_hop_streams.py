"""Bodies and streams through another node: as they arrive, in bounded memory, and until someone leaves."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.cluster.hop.conftest import Hoppers
from tests.cluster.hop.hopping_app import CHUNK
from tests.protocol.waits import eventually

pytestmark = pytest.mark.long

ANN = {"X-User-Id": "ann"}
CHUNKS = 1600
"""As many as make 100 MiB."""
_MEBIBYTE = 1024**2


@contextmanager
def connection(daemon: DaemonProcess) -> Iterator[http.client.HTTPConnection]:
    with closing(http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=30)) as made:
        yield made


def most_memory(daemon: DaemonProcess) -> int:
    """Return the most memory that a daemon has ever had, in bytes."""
    status = Path(f"/proc/{daemon.process.pid}/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


@pytest.mark.requirement("cluster.hop.streams")
def test_bodies_of_any_length_pass_in_bounded_memory(hoppers: Hoppers) -> None:
    daemons = [hoppers[name].daemon for name in "ab"]
    hoppers["a"].daemon.request("GET", "/seen", headers=ANN)
    before = list(map(most_memory, daemons))
    with connection(daemons[0]) as client:
        client.request("GET", f"/bytes?chunks={CHUNKS}", headers=ANN)
        answer, received = client.getresponse(), 0
        while chunk := answer.read(len(CHUNK)):
            assert chunk == CHUNK
            received += 1
        assert received == CHUNKS
        for length in (CHUNKS * len(CHUNK), None):
            headers = {**ANN, **({"Content-Length": str(length)} if length else {})}
            client.request(
                "POST", "/seen", (CHUNK for _ in range(CHUNKS)), headers, encode_chunked=not length
            )
            assert b'"size":104857600' in client.getresponse().read()
    grown = [now - was for now, was in zip(map(most_memory, daemons), before, strict=True)]
    assert max(grown) < 24 * _MEBIBYTE


@pytest.mark.requirement("cluster.hop.streams")
def test_both_directions_pass_as_they_arrive(hoppers: Hoppers) -> None:
    with socket.create_connection(("127.0.0.1", hoppers["a"].daemon.port), timeout=30) as client:
        client.sendall(
            b"POST /echo HTTP/1.1\r\nHost: a\r\nX-User-Id: ann\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        for word in (b"one", b"two", b"six"):
            client.sendall(b"3\r\n" + word + b"\r\n")
            received = b""
            while word not in received:
                received += client.recv(1000)
        client.sendall(b"0\r\n\r\n")
        assert eventually(lambda: b"0\r\n\r\n" in client.recv(1000))


@pytest.mark.requirement("cluster.hop.pressure")
def test_a_slow_reader_slows_the_application_down(hoppers: Hoppers) -> None:
    with connection(hoppers["a"].daemon) as client:
        client.request("GET", f"/bytes?chunks={CHUNKS}", headers=ANN)
        answer = client.getresponse()
        sent = [0]

        def stands_still() -> bool:
            before, sent[0] = sent[0], int(hoppers["b"].log[0])
            return before == sent[0]

        eventually(stands_still)
        assert sent[0] < CHUNKS / 2
        assert sum(map(len, iter(lambda: answer.read(len(CHUNK)), b""))) == CHUNKS * len(CHUNK)


@pytest.mark.requirement("cluster.hop.disconnects")
@pytest.mark.parametrize("path", ["/wait", "/events"])
@pytest.mark.parametrize("length", [0, 10, 300_000])
def test_clients_that_leave_have_left_there_too(hoppers: Hoppers, path: str, length: int) -> None:
    with connection(hoppers["a"].daemon) as client:
        client.request("POST", path, b"x" * length, headers=ANN)
        if path == "/events":
            assert client.getresponse().readline() == b"data: 1\n"
        assert eventually(lambda: hoppers["b"].log == [f"begun {path}"])
    eventually(lambda: hoppers["b"].log == [f"begun {path}", f"left {path}"])


@pytest.mark.requirement("cluster.hop.disconnects")
@pytest.mark.parametrize(
    "head", [b"Content-Length: 10", b"Content-Length: 10000000", b"Transfer-Encoding: chunked"]
)
def test_clients_that_leave_amid_their_body_have_left_there_too(hoppers: Hoppers, head: bytes) -> None:
    begun = hoppers["a"].seen["tasks"]
    with socket.create_connection(("127.0.0.1", hoppers["a"].daemon.port), timeout=30) as client:
        client.sendall(b"POST /wait HTTP/1.1\r\nHost: a\r\nX-User-Id: ann\r\n" + head + b"\r\n\r\n5\r\n")
        if head != b"Content-Length: 10":
            eventually(lambda: hoppers["b"].log == ["reading /wait"])
    if head != b"Content-Length: 10":
        eventually(lambda: hoppers["b"].log == ["begun /wait", "left /wait"])
    eventually(lambda: hoppers["a"].seen["tasks"] <= begun)


@pytest.mark.requirement("cluster.hop.disconnects")
def test_connections_are_kept_and_do_not_leak(hoppers: Hoppers) -> None:
    daemon = hoppers["a"].daemon
    for _ in range(30):
        assert daemon.request("GET", "/seen", headers=ANN).status == 200
        assert daemon.request("POST", "/seen", b"x", headers=ANN).status == 200
    assert hoppers["b"].cut.connections <= 1
