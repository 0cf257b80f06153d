"""Raw HTTP/1.1 over a socket: sends exactly the given bytes."""

from __future__ import annotations

import json
import socket
import struct
from dataclasses import dataclass
from typing import Any

LOOPBACK = "127.0.0.1"
PATIENCE = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One HTTP response; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Connection:
    """One TCP connection to the daemon."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection((LOOPBACK, port), timeout=PATIENCE)
        self._reader = self._socket.makefile("rb")

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def end_sending(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)

    def receive(self) -> Answer:
        """The next response; `ConnectionError` when there is none."""
        status = self._status()
        headers = dict(self._headers())
        return Answer(status=status, headers=headers, body=self._body(status, headers))

    def begin(self) -> int:
        """The status of the next response, as soon as its headers are there; the body stays unread."""
        status = self._status()
        self._headers()
        return status

    def rest(self) -> bytes:
        """Everything until the daemon closes; what a reset cuts off is left out."""
        try:
            return self._reader.read()
        except ConnectionResetError:
            return b""

    def close(self) -> None:
        self._reader.close()
        self._socket.close()

    def reset(self) -> None:
        """Leaves without a farewell: the daemon sees a reset instead of an end."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def _status(self) -> int:
        line = self._reader.readline()
        if not line:
            raise ConnectionError("closed before an answer")
        version, status = line.split(b" ", 2)[:2]
        assert version == b"HTTP/1.1", line
        return int(status)

    def _headers(self) -> list[tuple[str, str]]:
        found = []
        while (line := self._reader.readline().decode("latin-1").strip()) != "":
            name, _, value = line.partition(":")
            found.append((name.strip().lower(), value.strip()))
        return found

    def _body(self, status: int, headers: dict[str, str]) -> bytes:
        if status in {204, 304}:
            return b""
        if headers.get("transfer-encoding") == "chunked":
            return b"".join(iter(self._chunk, b""))
        if "content-length" in headers:
            return self._reader.read(int(headers["content-length"]))
        return self._reader.read()

    def _chunk(self) -> bytes:
        size = int(self._reader.readline(), 16)
        data = self._reader.read(size)
        self._reader.readline()
        return data


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """The bytes of one request; underscores in header names stand for dashes."""
    lines = [f"{method} {path} HTTP/1.1"]
    fields = {
        "Host": LOOPBACK,
        "Content_Type": "application/json",
        "Content_Length": str(len(body)),
    } | headers
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items() if value]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def chunked(method: str, path: str, *chunks: bytes, **headers: str) -> bytes:
    """The bytes of one request whose body travels in chunks."""
    head = request(method, path, b"", Content_Length="", Transfer_Encoding="chunked", **headers)
    return head + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


def execute(cmd: str, *, topic: str = "file:main", user: str = "default") -> bytes:
    """The bytes of one POST /exec."""
    body = json.dumps({"cmd": cmd, "topic": topic}).encode()
    return request("POST", "/exec", body, X_User_Id=user)
