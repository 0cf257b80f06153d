"""One HTTP request whose body is looked at before it is served, and which its client may take back."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

# A client that leaves sooner misses nothing.
_UNWATCHED_SECONDS = 0.2
_STREAMED = (b'"progressToken"', b"subscriptions/listen")


class Exchange:
    """A request and its response; the body is read once and handed on."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._read: list[Message] = []
        self._watching: asyncio.Task[None] | None = None
        self._has_left = False

    async def wants_stream(self) -> bool:
        """Read the body; return whether its response may be a stream."""
        body = await self.body()
        return any(it in body for it in _STREAMED)

    async def body(self) -> bytes:
        """Return the body, which is read once."""
        more = not self._read
        while more:
            message = await self._receive()
            self._read.append(message)
            more = message.get("more_body", False)
        return b"".join(it.get("body", b"") for it in self._read)

    async def receive(self) -> Message:
        """Return the messages of the request again, and then those that follow."""
        return self._read.pop(0) if self._read else await self._receive()

    async def receive_rest(self) -> Message:
        """Return what follows the body."""
        return await self._receive()

    async def serve(self, app: ASGIApp, scope: Scope, send: Send) -> None:
        """Serve the request; closing the connection cancels it."""
        task = asyncio.current_task()
        assert task
        watch = asyncio.get_running_loop().call_later(_UNWATCHED_SECONDS, self._watch, task)
        try:
            await app(scope, self.receive, send)
        except asyncio.CancelledError:
            # Nobody waits for the response; anything else is cancelled by the daemon's end.
            if not self._has_left:
                raise
        finally:
            watch.cancel()
            if self._watching:
                self._watching.cancel()

    def _watch(self, serving: asyncio.Task[None]) -> None:
        self._watching = asyncio.create_task(self._until_left(serving))

    async def _until_left(self, serving: asyncio.Task[None]) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._has_left = True
        serving.cancel()


def without_session(send: Send) -> Send:
    """Return a `send` that names no session when the request, which has none, is refused."""

    async def send_on(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] >= HTTPStatus.BAD_REQUEST:
            message["headers"] = [it for it in message["headers"] if it[0] != b"mcp-session-id"]
        await send(message)

    return send_on
