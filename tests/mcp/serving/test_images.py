"""Images of pages that describe them, beside their text."""

from __future__ import annotations

import base64
import http.server
import struct
import threading
import zlib
from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp.agents import STATELESS, HttpAgent, call


def png(size: int = 2) -> bytes:
    """Return a small image."""
    rows = b"".join(b"\0" + b"\xff\0\0" * size for _ in range(size))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    body = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


class _Images(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        data = png()
        self.send_response(200)
        self.send_header("content-type", "image/png")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def image_url() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Images)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/red.png"
    server.shutdown()
    server.server_close()


@pytest.mark.requirement("mcp.string.images")
def test_image_of_a_file_and_of_the_web(daemon: DaemonProcess, image_url: str) -> None:
    """Opening an image shows it; other commands of the topic and other files do not."""
    (daemon.home / "red.png").write_bytes(png())
    (daemon.home / "no.png").write_bytes(b"\x89PNX" + bytes(range(256)))
    agent = HttpAgent(daemon, STATELESS)
    expected = {"type": "image", "data": base64.b64encode(png()).decode(), "mimeType": "image/png"}
    for topic, target in (("file:main", "red.png"), ("web:main", f"{image_url} --confirm")):
        opened = agent.request("tools/call", **call(topic, f"/open {target}"))["result"]
        assert "image/png" in opened["content"][0]["text"]
        assert opened["content"][1:] == [expected]
        assert agent.request("tools/call", **call(topic, "/info"))["result"]["content"][1:] == []
    other = agent.request("tools/call", **call("file:main", "/open no.png"))["result"]
    assert other["content"][1:] == []


@pytest.mark.requirement("mcp.string.images")
def test_image_that_is_too_large_is_left_out(daemon: DaemonProcess) -> None:
    """The page still says what it is."""
    (daemon.home / "big.png").write_bytes(png() + bytes(4_000_000))
    agent = HttpAgent(daemon, STATELESS)
    opened = agent.request("tools/call", **call("file:main", "/open big.png"))["result"]
    assert [it["type"] for it in opened["content"]] == ["text"]
