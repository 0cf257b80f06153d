"""A service on loopback that records requests and gives prepared answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LONGEST_WAIT = 10.0


@dataclass(frozen=True, kw_only=True)
class Received:
    """One request, as it came over the wire."""

    method: str
    target: str
    headers: Message
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, kw_only=True)
class Answering:
    """What is answered to a path."""

    body: bytes = b"{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


class Service:
    """The service as tests see it."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.received: list[Received] = []
        self._answers: dict[str, Answering] = {}
        self._held: dict[str, threading.Event] = {}

    @property
    def last(self) -> Received:
        return self.received[-1]

    def answer(
        self, path: str, body: object = "", *, status: int = 200, media_type: str = "", **headers: str
    ) -> None:
        """Answer a path with text, bytes, or anything else as JSON."""
        if isinstance(body, str | bytes):
            data, kind = body.encode() if isinstance(body, str) else body, media_type or "text/plain"
        else:
            data, kind = json.dumps(body).encode(), media_type or "application/json"
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        self._answers[path] = Answering(body=data, status=status, headers={"Content-Type": kind, **more})

    def redirect(self, path: str, to: str, status: int = 302) -> None:
        self.answer(path, status=status, Location=to)

    @contextmanager
    def holding(self, path: str) -> Iterator[None]:
        """Let whoever asks for a path wait until the end of the block."""
        self._held[path] = threading.Event()
        try:
            yield
        finally:
            self._held.pop(path).set()

    def answer_to(self, path: str) -> Answering:
        if path in self._held:
            self._held[path].wait(LONGEST_WAIT)
        return self._answers.get(path, Answering())


@contextmanager
def serving() -> Iterator[Service]:
    """Serve on a free port until the end of the block."""
    server = _Server(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    """The server, with what it serves."""

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.service = Service(self.server_port)


class _Handler(BaseHTTPRequestHandler):
    """Answers every method alike, one exchange per connection."""

    def __getattr__(self, name: str) -> Callable[[], None]:
        if name.startswith("do_"):
            return self._exchange
        raise AttributeError(name)

    def _exchange(self) -> None:
        assert isinstance(self.server, _Server)
        service = self.server.service
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        service.received.append(
            Received(method=self.command, target=self.path, headers=self.headers, body=body)
        )
        answering = service.answer_to(self.path.partition("?")[0])
        self.send_response(answering.status)
        for name, value in answering.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answering.body)))
        with suppress(ConnectionError):
            self.end_headers()
            self.wfile.write(answering.body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
