"""`python -m bench.run_readers PORT PATH COUNT`: open WebSockets, and wait on all of them for bytes.

Each line on standard input is JSON: the texts to `send` on each one, and how many more `bytes` each one is to
receive; then an empty line is printed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import cast

import uvloop

from bench.websocket_peer import client_frame, upgrade

_HEAD_END = b"\r\n\r\n"


class Reader(asyncio.Protocol):
    """One WebSocket, of which only the number of received bytes is of interest."""

    def __init__(self, path: str, port: int) -> None:
        self._request = upgrade(path, port)
        self._head = b""
        self._surplus = 0
        self._reached = asyncio.Event()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the upgrade."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(self._request)

    def connection_lost(self, exc: Exception | None) -> None:
        """End everything: what is measured then means nothing."""
        sys.exit("the server has closed a connection")

    def data_received(self, data: bytes) -> None:
        """Count what comes behind the head of the answer."""
        if _HEAD_END not in self._head:
            self._head += data
            data = self._head.partition(_HEAD_END)[2]
        self._surplus += len(data)
        if self._surplus >= 0:
            self._reached.set()

    def expect(self, size: int, texts: list[str]) -> None:
        """Send texts, and expect so many bytes."""
        assert self._transport is not None
        self._surplus -= size
        if self._surplus < 0:
            self._reached.clear()
        self._transport.write(b"".join(map(client_frame, texts)))

    async def reached(self) -> None:
        """Return once the expected bytes have arrived."""
        await self._reached.wait()


async def read(port: int, path: str, count: int) -> None:
    """Carry out the lines of standard input."""
    loop = asyncio.get_running_loop()
    opened = [
        await loop.create_connection(lambda: Reader(path, port), "127.0.0.1", port) for _ in range(count)
    ]
    readers = [reader for _, reader in opened]
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        order = json.loads(line)
        for reader in readers:
            reader.expect(order["bytes"], order["send"])
        for reader in readers:
            await reader.reached()
        print(flush=True)


if __name__ == "__main__":
    uvloop.run(read(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
