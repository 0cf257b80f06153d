"""A minimal WebSocket client, which takes less time than the servers that it measures."""

from __future__ import annotations

import base64
import os

_ZERO_MASK = bytes(4)


def upgrade(path: str, port: int) -> bytes:
    """Return the request that opens a WebSocket."""
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()


def client_frame(text: str) -> bytes:
    """Return a text as a frame of a client, masked with zeros."""
    payload = text.encode()
    return bytes((0x81,)) + _length(len(payload), 0x80) + _ZERO_MASK + payload


def framed_size(size: int) -> int:
    """Return the size of a message of a server with its frame."""
    return 1 + len(_length(size, 0)) + size


def _length(size: int, mask: int) -> bytes:
    if size < 126:
        return bytes((mask | size,))
    if size < 1 << 16:
        return bytes((mask | 126,)) + size.to_bytes(2, "big")
    return bytes((mask | 127,)) + size.to_bytes(8, "big")
