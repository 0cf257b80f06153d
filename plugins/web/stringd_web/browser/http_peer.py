"""One peer of an HTTP/1.1 connection: h11 over asyncio streams."""

from __future__ import annotations

import asyncio
from typing import TypeAlias

import h11

CHUNK = 64 * 1024
HEAD_LIMIT = 256 * 1024
Role: TypeAlias = type[h11.SERVER] | type[h11.CLIENT]


class HttpPeer:
    """Sends and receives h11 events over one connection."""

    def __init__(self, role: Role, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._state = h11.Connection(role, max_incomplete_event_size=HEAD_LIMIT)

    async def receive(self) -> object:
        """Return the next event from the peer."""
        while (event := self._state.next_event()) is h11.NEED_DATA:
            self._state.receive_data(await self.reader.read(CHUNK))
        return event

    async def send(self, event: h11.Event) -> None:
        """Send an event to the peer."""
        self.writer.write(self._state.send(event) or b"")
        await self.writer.drain()

    async def refuse(self) -> None:
        """Answer a pending request with 502 and announce that the connection closes."""
        if self._state.our_state is h11.SEND_RESPONSE:
            headers = [("content-length", "0"), ("connection", "close")]
            await self.send(h11.Response(status_code=502, headers=headers))
            await self.send(h11.EndOfMessage())

    def trailing_data(self) -> bytes:
        """Return the bytes already received after the switch to another protocol."""
        return self._state.trailing_data[0]

    def start_next_exchange(self) -> bool:
        """Prepare for another exchange; return False if the connection can't be reused."""
        if self._state.our_state is not h11.DONE or self._state.their_state is not h11.DONE:
            return False
        self._state.start_next_cycle()
        return True
