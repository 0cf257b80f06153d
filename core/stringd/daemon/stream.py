"""How an event stream is sent: whole where the outcome is there at once, else alive until it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from starlette.types import Send

from stringd.contracts.replies import Outcome

if TYPE_CHECKING:
    from sse_starlette import EventSourceResponse

BUFFERED_SECONDS = 0.2
HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "connection": "keep-alive",
    "x-accel-buffering": "no",
}
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


async def is_quick(task: asyncio.Task[Outcome]) -> bool:
    """Wait a moment and tell whether the task has ended."""
    await asyncio.sleep(0)
    if not task.done():
        await asyncio.wait({task}, timeout=BUFFERED_SECONDS)
    return task.done()


async def send_whole(events: bytes, send: Send) -> None:
    """Send the events as one response with a length."""
    length = (b"content-length", str(len(events)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [*_RAW_HEADERS, length]})
    await send({"type": "http.response.body", "body": events})


def send_later(
    task: asyncio.Task[Outcome], encode: Callable[[Outcome], bytes], ping_seconds: float
) -> EventSourceResponse:
    """Return a response that sends comments until the task ends, then the events."""
    from sse_starlette import EventSourceResponse, ServerSentEvent

    async def events() -> AsyncIterator[bytes]:
        yield encode(await asyncio.shield(task))

    return EventSourceResponse(
        events(),
        headers=HEADERS,
        ping=ping_seconds,
        ping_message_factory=lambda: ServerSentEvent(comment="still running"),
        sep="\n",
    )
