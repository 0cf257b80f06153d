"""A small web server on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class Site:
    """Serves what it is given, by path; a text that begins with `->` is a redirect."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.media_type = "application/octet-stream"
        self.asked = threading.Event()
        self._open = threading.Event()
        self._open.set()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = site.pages.get(self.path)
                site.asked.set()
                site._open.wait(30)
                if body is not None and body.startswith(b"->"):
                    self.send_response(302)
                    self.send_header("Location", body[2:].decode())
                    body = b""
                else:
                    self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", site.media_type)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Answer nobody, until `release` or the end."""
        self._open.clear()
        try:
            yield
        finally:
            self.release()

    def release(self) -> None:
        self._open.set()

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
