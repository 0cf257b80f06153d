"""A loopback server that answers with recorded bytes and records the requests."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

HEAD = b'event: head\ndata: {"ok":true,"code":null,"cmd":"/x","request_id":null,"user_id":"default",'
HEAD += b'"topic":"file:main","topic_type":"file","meta":null}\n\n'
CONTENT = b'event: content\ndata: "re: /x\\nHello"\n\n'
DONE = b"event: done\ndata: {}\n\n"
STREAM = HEAD + CONTENT + DONE
CLOSE = None

Script = Sequence[bytes | None]


def http(body: bytes, status: int = 200, kind: str = "application/json", *extra: str) -> bytes:
    """A whole HTTP answer, with its length."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *extra]
    return "\r\n".join([*lines, "", ""]).encode() + body


def sse(body: bytes = STREAM) -> bytes:
    """A buffered answer of /exec."""
    return http(body, kind="text/event-stream")


def json_answer(value: object, status: int = 200) -> bytes:
    return http(json.dumps(value).encode(), status)


def answer(content: str, head: bytes = HEAD) -> Script:
    """A buffered answer of /exec with this content."""
    data = json.dumps(f"re: /x\n{content}")
    return [sse(head + f"event: content\ndata: {data}\n\n".encode() + DONE)]


def failure(content: str) -> Script:
    """The same, of a command that failed with the code `NO`."""
    return answer(content, HEAD.replace(b'"ok":true,"code":null', b'"ok":false,"code":"NO"'))


def streamed(*pieces: bytes) -> Script:
    """An answer of /exec in chunks, each sent on its own, with the end that the protocol asks for."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    return [head, *(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces), b"0\r\n\r\n"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, bytes]
    body: bytes


@dataclass(kw_only=True)
class FakeDaemon:
    """Answers `/exec` with the scripts in `answers`, one after the other, and the rest sensibly."""

    port: int = 0
    answers: list[Script] = field(default_factory=list)
    routes: dict[str, Script] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    accepted: int = 0
    open: list[socket.socket] = field(default_factory=list)
    tls: ssl.SSLContext | None = None

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        self.routes = {
            "GET /health": [json_answer({"ok": True, "users": 1, "sessions": 0})],
            "GET /users": [json_answer({"users": [{"id": "default", "home": "/h", "allowedPaths": []}]})],
            "POST /users": [json_answer({"user_id": "default", "home": "/h", "created": True})],
            **self.routes,
        }
        threading.Thread(target=self._accept, daemon=True).start()

    def count(self, route: str) -> int:
        return sum(f"{request.method} {request.path}" == route for request in self.seen)

    def commands(self) -> list[str]:
        """What `/exec` was asked for."""
        return [json.loads(seen.body)["cmd"] for seen in self.seen if seen.path == "/exec"]

    def last(self, route: str) -> Seen:
        return next(r for r in reversed(self.seen) if f"{r.method} {r.path}" == route)

    def drop_connections(self) -> None:
        """Close what is open, as a server does with idle connections."""
        while self.open:
            _close(self.open.pop())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def stop(self) -> None:
        _close(self._listener)
        self.drop_connections()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            self.open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
                self.open.append(connection)
            with connection.makefile("rb") as incoming:
                while request := _read(incoming):
                    self.seen.append(request)
                    for piece in self._script(request):
                        if piece is CLOSE:
                            _close(connection)
                            return
                        connection.sendall(piece)
        except (OSError, ValueError):
            return

    def _script(self, request: Seen) -> Script:
        if request.path == "/exec" and "POST /exec" not in self.routes:
            return self.answers.pop(0)
        if request.path.startswith("/events?"):
            return [json_answer({"error": "Not found"}, 404)]
        return self.routes[f"{request.method} {request.path}"]


def _read(incoming: socket.SocketIO | object) -> Seen | None:
    readline: Callable[[], bytes] = incoming.readline  # type: ignore[union-attr]
    opening = readline().decode()
    if not opening:
        return None
    method, path, _ = opening.split(" ")
    headers: dict[str, bytes] = {}
    while (line := readline().strip()) != b"":
        name, _, value = line.partition(b":")
        headers[name.decode().lower()] = value.strip()
    body = incoming.read(int(headers.get("content-length", b"0")))  # type: ignore[union-attr]
    return Seen(method=method, path=path, headers=headers, body=body)


def _close(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
    finally:
        connection.close()


def until(condition: Callable[[], object], seconds: float = 5.0) -> None:
    """Wait until the condition holds, at most so long."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.005)
