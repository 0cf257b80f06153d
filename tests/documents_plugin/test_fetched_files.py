"""Documents from the web, and documents that are opened again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from stringd.testing.process import DaemonProcess
from tests.documents_plugin.office_files import paragraph, word
from tests.documents_plugin.pdf_files import pdf, text

PDF = pdf([text(72, 700, f"This is page {number}.") for number in range(1, 4)])
FILES = {
    "/told": ("application/pdf", PDF),
    "/a.pdf": ("application/octet-stream", PDF),
    "/bytes": ("application/octet-stream", PDF),
    "/a.docx": ("application/octet-stream", word(paragraph("A text"))),
    "/download": ("application/octet-stream", word(paragraph("A text"))),
    "/a.csv": ("text/plain; charset=latin-1", "größe,b\n".encode("latin-1")),
}


class Files(BaseHTTPRequestHandler):
    """Sends documents, with types that say much or little."""

    def do_GET(self) -> None:
        media_type, body = FILES[self.path]
        self.send_response(200)
        self.send_header("Content-Type", media_type)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.requirement("documents.read.web")
def test_fetched_documents(daemon: DaemonProcess, site: str) -> None:
    for path in ("/told", "/a.pdf", "/bytes"):
        assert daemon.exec(f"/open {site}{path} --pages 2", topic="web:a").content.endswith("This is page 2.")
        assert "%PDF" not in daemon.exec("/source", topic="web:a").content
    for path in ("/a.docx", "/download"):
        assert daemon.exec(f"/open {site}{path}", topic="web:a").content.endswith("\nA text")
    assert daemon.exec(f"/open {site}/a.csv", topic="web:a").content.endswith("| größe | b |\n| --- | --- |")


@pytest.mark.requirement("documents.read.pages")
def test_pages_of_a_fetched_document_last(daemon: DaemonProcess, site: str) -> None:
    daemon.exec(f"/open {site}/a.pdf --pages 2", topic="web:a")
    daemon.exec(f"/open {site}/a.docx", topic="web:a")
    assert daemon.exec("/back", topic="web:a").content.endswith("This is page 2.")
    assert daemon.exec("/open --pages 3", topic="web:a").content.endswith("This is page 3.")
    refused = daemon.exec(f"/open {site}/a.docx --pages 1", topic="web:a").content
    assert "ERROR(INVALID_PAYLOAD): Not a document with pages: " in refused


@pytest.mark.requirement("documents.read.kept")
def test_unchanged_document_is_converted_once(daemon: DaemonProcess) -> None:
    path = daemon.home / "a.pdf"
    path.write_bytes(pdf([text(72, 700, "some words " * 5)] * 1000))
    slow, quick = (_seconds(daemon, "/open a.pdf") for _ in range(2))
    assert quick < slow / 3
    path.write_bytes(pdf([text(72, 700, "other")]))
    assert daemon.exec("/open a.pdf").content.endswith("other")


def _seconds(daemon: DaemonProcess, cmd: str) -> float:
    start = time.monotonic()
    assert daemon.exec(cmd).head["ok"]
    return time.monotonic() - start
