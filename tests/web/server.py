"""A loopback web server that sends whatever a test tells it to, well-formed or not."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesParser
from io import BufferedReader
from typing import TypeAlias

HTML = "text/html; charset=utf-8"
LONGEST_WAIT = 30.0
_TLS_RECORD = b"\x16"
_WITHOUT_BODY = ("204 ", "304 ")


@dataclass(frozen=True, kw_only=True)
class Received:
    """One request, as it came over the wire."""

    method: str
    target: str
    headers: Message
    body: bytes
    connection: int

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


Wire: TypeAlias = bytes | Iterable[bytes]
"""What goes over the wire: all bytes of an answer, or pieces of it, one after the other."""
Reply: TypeAlias = Wire | Callable[[Received], Wire]


def answer(
    body: str | bytes = b"",
    *,
    status: str = "200 OK",
    media_type: str | None = HTML,
    headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
) -> bytes:
    """Return the bytes of a well-formed answer; after it, the connection is kept."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}"]
    if media_type is not None:
        lines.append(f"Content-Type: {media_type}")
    lines += [f"{name}: {value}" for name, value in dict_items(headers)]
    if not status.startswith(_WITHOUT_BODY):
        lines.append(f"Content-Length: {len(data)}")
    return "\r\n".join((*lines, "", "")).encode() + data


def redirect(to: str, status: str = "302 Found", **headers: str) -> bytes:
    """Return the bytes of a redirect; `Set_Cookie="a=1"` adds a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(status=status, media_type=None, headers={"Location": to, **named})


def chunked(pieces: Iterable[bytes], media_type: str = HTML) -> Iterator[bytes]:
    """Yield the bytes of an answer in chunks, as long as there are pieces."""
    yield f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    for piece in pieces:
        yield b"%x\r\n%b\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"


def dict_items(headers: Mapping[str, str] | Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return headers.items() if isinstance(headers, Mapping) else headers


@dataclass
class Site:
    """The server as tests see it; what nothing is served for is not found."""

    port: int
    scheme: str = "http"
    received: list[Received] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)
    _replies: dict[str, Reply] = field(default_factory=dict)
    _held: dict[str, threading.Event] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The origin, without a slash at its end."""
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def last(self) -> Received:
        return self.received[-1]

    @property
    def paths(self) -> list[str]:
        """The targets that were asked for, in order."""
        return [it.target for it in self.received]

    def serve(self, path: str, reply: Reply) -> str:
        """Answer a path, whatever its query is; return its URL."""
        self._replies[path] = reply
        return self.url + path

    def page(self, path: str, body: str | bytes, media_type: str = HTML, **headers: str) -> str:
        """Serve a well-formed page; `Cache_Control="no-store"` adds a header. Return its URL."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.serve(path, answer(body, media_type=media_type, headers=named))

    @contextmanager
    def holding(self, path: str) -> Iterator[None]:
        """Let whoever asks for a path wait until the end of the block."""
        self._held[path] = threading.Event()
        try:
            yield
        finally:
            self._held.pop(path).set()

    def slowly(self, pieces: Iterable[bytes], seconds: float) -> Iterator[bytes]:
        """Yield pieces with a pause before each, until the server ends."""
        for piece in pieces:
            if self.closed.wait(seconds):
                return
            yield piece

    def reply_to(self, received: Received) -> Wire:
        """Note a request, and return what is to be sent."""
        self.received.append(received)
        if held := self._held.get(received.path):
            held.wait(LONGEST_WAIT)
        reply = self._replies.get(received.path, answer("Nothing here.", status="404 Not Found"))
        return reply(received) if callable(reply) else reply


@contextmanager
def serving(tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> Iterator[Site]:
    """Serve on a free port until the end of the block."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family, backlog=256) as listener:
        site = Site(listener.getsockname()[1], "https" if tls else "http")
        connections: set[socket.socket] = set()
        thread = threading.Thread(target=_accept, args=(listener, tls, site, connections), daemon=True)
        thread.start()
        try:
            yield site
        finally:
            site.closed.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(LONGEST_WAIT)
            for connection in list(connections):
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


def _accept(
    listener: socket.socket, tls: ssl.SSLContext | None, site: Site, connections: set[socket.socket]
) -> None:
    number = 0
    while not site.closed.is_set():
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        number += 1
        connections.add(connection)
        arguments = (connection, tls, site, connections, number)
        threading.Thread(target=_serve, args=arguments, daemon=True).start()


def _serve(
    connection: socket.socket,
    tls: ssl.SSLContext | None,
    site: Site,
    connections: set[socket.socket],
    number: int,
) -> None:
    with suppress(OSError), connection:
        talking = tls.wrap_socket(connection, server_side=True) if tls else connection
        with talking, talking.makefile("rb") as reader:
            while (received := _read(reader, number)) and _send(talking, site.reply_to(received)):
                pass
            _leave(talking)
    connections.discard(connection)


def _leave(talking: socket.socket) -> None:
    """Close so that what was sent arrives, even where the client has sent what nobody read."""
    if isinstance(talking, ssl.SSLSocket):
        talking.unwrap()
    talking.shutdown(socket.SHUT_WR)
    talking.settimeout(1.0)
    while talking.recv(65536):
        pass


def _read(reader: BufferedReader, number: int) -> Received | None:
    if reader.peek(1)[:1] == _TLS_RECORD:
        # It need not have an end of line, for which this would wait.
        return None
    first = reader.readline().decode("latin-1").split()
    if len(first) != 3:
        return None
    head = b""
    while (line := reader.readline()) not in (b"\r\n", b""):
        head += line
    headers = BytesParser().parsebytes(head)
    body = reader.read(int(headers.get("Content-Length") or 0))
    return Received(method=first[0], target=first[1], headers=headers, body=body, connection=number)


def _send(talking: socket.socket, wire: Wire) -> bool:
    """Send an answer; tell whether it said itself where it ends, so that another may follow."""
    if isinstance(wire, bytes):
        talking.sendall(wire)
        return _ends_itself(wire)
    for piece in wire:
        talking.sendall(piece)
    return False


def _ends_itself(wire: bytes) -> bool:
    head, _, body = wire.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    return b"connection: close" not in lines and (
        lines[0].partition(b" ")[2].startswith(tuple(it.encode() for it in _WITHOUT_BODY))
        or b"content-length: %d" % len(body) in lines
    )
