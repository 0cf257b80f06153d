"""A request that ends before its client leaves: with its token, or when the user's home leaves this node."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from starlette.types import Message, Receive, Scope, Send

_ACCEPTS = frozenset({"websocket.accept", "http.response.start"})
_ENDS = frozenset({"websocket.close", "http.response.body"})


class End(NamedTuple):
    """Why a stream ends, for clients of WebSockets."""

    code: int
    reason: str


TOKEN_ENDED = End(1008, "the token is not valid any more")
HOME_LEFT = End(1012, "the user's home goes to another node")


class EndingStream:
    """What an application receives and sends: at the end, its client has left, and what it sends is dropped.

    Requests that are answered at once never learn of it: nothing is waited for before the application
    streams, or waits for its client.
    """

    # Most requests need none of these, and are answered a little sooner without.
    _waiting: asyncio.Task[None] | None = None
    _end: End | None = None
    _has_received = False
    _is_streaming = False
    _is_over = False
    _sending = 0

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, ended: Callable[[], Awaitable[End]]
    ) -> None:
        self._is_websocket = scope["type"] == "websocket"
        self._receive = receive
        self._send = send
        self._ended = ended
        self._pending: set[asyncio.Future[Message]] = set()

    def receive(self) -> Awaitable[Message]:
        """Return the next message of the client, or that it has left."""
        if self._has_received:
            return self._receive_or_end()
        # What comes first arrives within a deadline of its own.
        self._has_received = True
        return self._receive()

    async def send(self, message: Message) -> None:
        """Send a message of the application, unless the stream is over."""
        if self._is_over:
            return
        kind = message["type"]
        if kind in _ACCEPTS and not _has_length(message):
            self._is_streaming = True
            self._wait()
        self._is_over = kind in _ENDS and not message.get("more_body")
        self._sending += 1
        try:
            await self._send(message)
        finally:
            self._sending -= 1
        await self._finish()

    def close(self) -> None:
        """Wait for no end any more: the application has returned."""
        if self._waiting:
            self._waiting.cancel()

    async def _receive_or_end(self) -> Message:
        self._wait()
        return self._left() or await self._next()

    async def _next(self) -> Message:
        pending = asyncio.ensure_future(self._receive())
        self._pending.add(pending)
        try:
            return await pending
        except asyncio.CancelledError:
            left = self._left()
            if left is None or _is_cancelled():
                raise
            return left
        finally:
            self._pending.discard(pending)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = asyncio.create_task(self._await_end())

    async def _await_end(self) -> None:
        self._end = await self._ended()
        for it in self._pending:
            it.cancel()
        await self._finish()

    async def _finish(self) -> None:
        """End what is being streamed."""
        if not self._end or self._is_over or not self._is_streaming or self._sending:
            return
        self._is_over = True
        if self._is_websocket:
            code, reason = self._end
            await self._send({"type": "websocket.close", "code": code, "reason": reason})
        else:
            await self._send({"type": "http.response.body", "body": b""})

    def _left(self) -> Message | None:
        """Return that the client has left, once the stream has ended."""
        if self._end is None:
            return None
        if not self._is_websocket:
            return {"type": "http.disconnect"}
        return {"type": "websocket.disconnect", "code": self._end.code, "reason": self._end.reason}


def _has_length(message: Message) -> bool:
    return any(name.lower() == b"content-length" for name, _ in message.get("headers", ()))


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
