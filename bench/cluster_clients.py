"""Clients of nodes: one that measures each answer, one that measures silences, and readers of a stream."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from bench.cluster_commands import LAST
from bench.generator import is_whole
from bench.load import post

_LIMIT = 30.0
_PAUSE = 0.005
_OK = b'"ok":true'


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a client sends commands of a user, with the user's token; a single daemon has none."""

    port: int
    user: str
    token: str = ""

    def request(self, cmd: str, topic: str = "file:main") -> bytes:
        """Return a request that runs a command."""
        headers = {
            "x_user_id": self.user,
            **({"authorization": f"Bearer {self.token}"} if self.token else {}),
        }
        return post(self.port, "/exec", {"cmd": cmd, "topic": topic}, **headers).encode()


class Caller:
    """A connection on which each command waits for the answer to the one before."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._socket = socket.create_connection(("127.0.0.1", address.port), timeout=_LIMIT)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._socket.close()

    def seconds(self, cmd: str, topic: str = "file:main") -> float:
        """Run a command, and return the time to the last byte of its answer."""
        request = self._address.request(cmd, topic)
        start = time.perf_counter()
        self._socket.sendall(request)
        answer = self._answer()
        seconds = time.perf_counter() - start
        if _OK not in answer:
            raise RuntimeError(f"{cmd} failed: {answer[:500]!r}")
        return seconds

    def _answer(self) -> bytes:
        received = b""
        while not is_whole(received):
            piece = self._socket.recv(1 << 16)
            if not piece:
                raise RuntimeError(f"the connection was closed after {received[:500]!r}")
            received += piece
        return received


class Silence:
    """Sends commands one after the other, and notes when they were answered with success."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._answered: list[float] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._stopped.set()
        self._thread.join(_LIMIT)

    def wait_for_answers(self) -> None:
        """Wait until two more commands were answered, of which one was sent after now."""
        wanted = len(self._answered) + 2
        deadline = time.monotonic() + _LIMIT
        while len(self._answered) < wanted:
            if time.monotonic() > deadline:
                raise RuntimeError("no command was answered for too long")
            time.sleep(_PAUSE)

    def longest(self) -> float:
        """Return the longest time between two answers."""
        return max(later - earlier for earlier, later in pairwise(self._answered))

    def _run(self) -> None:
        while not self._stopped.wait(_PAUSE):
            try:
                with Caller(self._address) as caller:
                    while not self._stopped.wait(_PAUSE):
                        caller.seconds("/info")
                        self._answered.append(time.monotonic())
            except (OSError, RuntimeError):
                continue


async def seconds_to_print(command: Address, streams: Address, readers: int) -> float:
    """Return the time from sending `/print` until each of the readers of events has the last piece."""
    opened = [await _stream(streams) for _ in range(readers)]
    try:
        start = time.perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", command.port)
        writer.write(command.request("/print"))
        async with asyncio.timeout(_LIMIT):
            await asyncio.gather(*(_read_to_last(it) for it, _ in opened))
        seconds = time.perf_counter() - start
        await reader.readuntil(b"done")
        writer.close()
        return seconds
    finally:
        for _, writer in opened:
            writer.close()


async def _stream(address: Address) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", address.port, limit=1 << 20)
    path = f"/events?user_id={address.user}&kinds=output"
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {address.token}\r\n\r\n"
    writer.write(head.encode())
    first = await reader.readuntil(b"watching")
    if not first.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"no stream: {first!r}")
    return reader, writer


async def _read_to_last(reader: asyncio.StreamReader) -> None:
    tail = b""
    while LAST.encode() not in tail:
        piece = await reader.read(1 << 16)
        if not piece:
            raise RuntimeError("a stream has ended")
        tail = tail[-len(LAST) :] + piece
