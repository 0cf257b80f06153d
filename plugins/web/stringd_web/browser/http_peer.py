"""One side of an HTTP exchange: a connection, and how far the exchange has come on it."""

from __future__ import annotations

import asyncio
from typing import TypeAlias

import h11

PIECE = 64 * 1024
HEAD_LIMIT = 256 * 1024
Role: TypeAlias = type[h11.SERVER] | type[h11.CLIENT]


class HttpPeer:
    """Events in and out over one connection."""

    def __init__(self, role: Role, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._state = h11.Connection(role, max_incomplete_event_size=HEAD_LIMIT)

    async def receive(self) -> object:
        """Return the next event from the other end."""
        while (event := self._state.next_event()) is h11.NEED_DATA:
            self._state.receive_data(await self.reader.read(PIECE))
        return event

    async def send(self, event: h11.Event) -> None:
        """Send an event to the other end."""
        self.writer.write(self._state.send(event) or b"")
        await self.writer.drain()

    async def refuse(self) -> None:
        """Answer a request that nothing was answered to yet with 502, and no more on this connection."""
        if self._state.our_state is h11.SEND_RESPONSE:
            headers = [("content-length", "0"), ("connection", "close")]
            await self.send(h11.Response(status_code=502, headers=headers))
            await self.send(h11.EndOfMessage())

    def switched(self) -> bytes:
        """Return what has already come of the bytes that are no HTTP any more."""
        return self._state.trailing_data[0]

    def next_exchange(self) -> bool:
        """Tell whether there may be one more, and get ready for it."""
        if self._state.our_state is not h11.DONE or self._state.their_state is not h11.DONE:
            return False
        self._state.start_next_cycle()
        return True
