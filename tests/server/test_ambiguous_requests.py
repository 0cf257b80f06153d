"""Ambiguous requests and endless request heads are refused."""

from __future__ import annotations

import socket

import pytest

from stringd.testing.process import DaemonProcess

START = b"GET /health HTTP/1.1\r\n"


def talk(daemon: DaemonProcess, *parts: bytes) -> bytes:
    """Send bytes and return what comes until the daemon closes."""
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=10) as client:
        try:
            for part in parts:
                client.sendall(part)
            client.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass
        received = b""
        try:
            while chunk := client.recv(65536):
                received += chunk
        except ConnectionResetError:
            pass
        return received


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (b"Host: evil.com@127.0.0.1\r\n", b"421"),
        (b"Host: evil.com\r\nHost: 127.0.0.1\r\n", b"400"),
        (b"Host: localhost\r\nOrigin: http://evil.com\r\nOrigin: http://localhost\r\n", b"400"),
        (b"Host: localhost\r\nX-User-Id: a\r\nX-User-Id: b\r\n", b"400"),
        (b"Host: localhost\r\nUser-Agent: stringd/1\r\nUser-Agent: x\r\n", b"400"),
        (b"Host: localhost\r\nSec-Fetch-Site: cross-site\r\n", b"403"),
        (b"Host: localhost\r\nSec-Fetch-Site: same-origin\r\n", b"200"),
        (b"Host: localhost\r\nAccept: a\r\nAccept: b\r\n", b"200"),
    ],
)
def test_allowed_and_refused_origins(daemon: DaemonProcess, headers: bytes, status: bytes) -> None:
    answer = talk(daemon, START + headers + b"Connection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert b"access-control-allow-origin: *" in answer


@pytest.mark.parametrize("piece", [b"x" * 65536, b"X-A: b\r\n" * 8192], ids=["one-header", "many"])
def test_endless_head_is_refused(daemon: DaemonProcess, piece: bytes) -> None:
    answer = talk(daemon, START + b"Host: localhost\r\nX-Long: ", *[piece] * 40)
    assert answer.startswith(b"HTTP/1.1 431 ") or answer == b""
    assert daemon.request("GET", "/health").status == 200


def test_long_body_is_not_a_long_head(daemon: DaemonProcess) -> None:
    reply = daemon.request("POST", "/exec", b" " * 5_000_000, {"X-User-Id": "default"})
    assert reply.status == 400


def test_websocket_on_unknown_path_is_answered_in_json(daemon: DaemonProcess) -> None:
    upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    key = b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    answer = talk(daemon, START + b"Host: localhost\r\n" + upgrade + key + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert answer.endswith(b'{"error":"Not Found: /health"}')
    assert b"access-control-allow-origin: *" in answer
    assert daemon.request("GET", "/health").status == 200
