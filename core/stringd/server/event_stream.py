"""The event stream of `/exec`: one response if the outcome comes soon, else kept alive until it does."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from importlib import import_module

from starlette.types import Receive, Scope, Send

from stringd.api.replies import Outcome
from stringd.text.envelope import Request, encode_events

BUFFERED_SECONDS = 0.2
HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "connection": "keep-alive",
    "x-accel-buffering": "no",
}
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
# Streams need these, and few daemons stream at once; anyio imports its backend where it is first used.
_STREAMING = {"sse_starlette", "anyio._backends._asyncio"}


class EventStream:
    """The answer to one command; the command goes on if the client disconnects."""

    def __init__(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        self._request = request
        self._scope = scope
        self._receive = receive
        self._send = send
        self._timer: asyncio.TimerHandle | None = None
        self._streaming: asyncio.Task[None] | None = None
        self._outcome: Outcome | None = None
        self._ended = asyncio.Event()

    def begin(self, ping_seconds: float) -> None:
        """Open a stream with keep-alive comments if the command takes long."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(BUFFERED_SECONDS, self._open, ping_seconds)

    async def end(self, outcome: Outcome) -> None:
        """Send the events, as one response or at the end of the stream."""
        self._outcome = outcome
        self._ended.set()
        if self._streaming:
            await self._streaming
        else:
            await self._send_whole(encode_events(self._request, outcome))

    def close(self) -> None:
        """Cancel the opening of a stream."""
        if self._timer:
            self._timer.cancel()

    def _open(self, ping_seconds: float) -> None:
        self._streaming = asyncio.create_task(self._stream(ping_seconds))

    async def _stream(self, ping_seconds: float) -> None:
        if not sys.modules.keys() >= _STREAMING:
            await asyncio.to_thread(_import_streaming)
        from sse_starlette import EventSourceResponse, ServerSentEvent

        response = EventSourceResponse(
            self._events(),
            headers=HEADERS,
            ping=ping_seconds,
            ping_message_factory=lambda: ServerSentEvent(comment="still running", sep="\n"),
            sep="\n",
        )
        await response(self._scope, self._receive, self._send)

    async def _events(self) -> AsyncIterator[bytes]:
        await self._ended.wait()
        if self._outcome:
            yield encode_events(self._request, self._outcome)

    async def _send_whole(self, events: bytes) -> None:
        length = (b"content-length", str(len(events)).encode())
        await self._send({"type": "http.response.start", "status": 200, "headers": [*_RAW_HEADERS, length]})
        await self._send({"type": "http.response.body", "body": events})


def _import_streaming() -> None:
    for name in sorted(_STREAMING):
        import_module(name)
