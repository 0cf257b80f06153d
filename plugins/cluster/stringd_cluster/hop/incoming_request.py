"""The request of a client that is passed on: small bodies are kept, to be sent again; others are streamed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from starlette.types import Message, Receive, Scope

from stringd_cluster.hop.hop_headers import Caller, value_of
from stringd_cluster.hop.interruption import Interruption

MOST_KEPT = 256 * 1024
"""Bodies up to this length are read as a whole before they are sent."""


class ClientLeft(Exception):
    """The client has disconnected."""


class IncomingRequest:
    """What a client sends, and whether it is still there."""

    def __init__(self, scope: Scope, receive: Receive, caller: Caller) -> None:
        self.scope = scope
        self.caller = caller
        self.kept: bytes | None = None
        """The whole body, unless it is streamed."""
        self.has_begun = False
        """Whether a part of a streamed body was read."""
        self._receive = receive
        self._has_ended = asyncio.Event()

    @property
    def method(self) -> str:
        """The method; that of a WebSocket's handshake is GET."""
        method: str = self.scope.get("method", "GET")
        return method

    @property
    def path(self) -> str:
        """The path, decoded."""
        path: str = self.scope["path"]
        return path

    @property
    def can_be_sent_again(self) -> bool:
        """Whether the whole body is there for another attempt."""
        return not self.has_begun

    async def begin(self) -> None:
        """Read a small body; raise `ClientLeft` if it does not arrive."""
        length = self._length()
        if length is not None and length <= MOST_KEPT:
            self.kept = b"".join([chunk async for chunk in self._chunks()]) if length else b""
            self._has_ended.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield a body that is not kept."""
        self.has_begun = True
        async for chunk in self._chunks():
            yield chunk

    @contextmanager
    def watched(self, interruption: Interruption) -> Iterator[None]:
        """Interrupt what is done for the client once it has left."""
        leaving = asyncio.create_task(self._left())
        leaving.add_done_callback(lambda _: interruption.interrupt(ClientLeft()))
        try:
            yield
        finally:
            leaving.cancel()

    def replayed(self) -> Receive:
        """Return what an application of this node receives."""
        body = self.kept
        if body is None:
            return self._receive

        async def receive() -> Message:
            nonlocal body
            if body is None:
                return await self._receive()
            message = {"type": "http.request", "body": body, "more_body": False}
            body = None
            return message

        return receive

    def _length(self) -> int | None:
        """Return the length of the body, None if it is not known before it ends."""
        headers = self.scope["headers"]
        if value_of(headers, b"transfer-encoding") is not None:
            return None
        length = value_of(headers, b"content-length")
        return int(length) if length else 0

    async def _chunks(self) -> AsyncIterator[bytes]:
        has_more = True
        while has_more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientLeft
            if chunk := message.get("body", b""):
                yield chunk
            has_more = message.get("more_body", False)
        self._has_ended.set()

    async def _left(self) -> None:
        await self._has_ended.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass
