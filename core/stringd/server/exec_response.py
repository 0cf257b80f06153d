"""The event stream of `/exec`: one response if the outcome comes soon, else kept alive until it does."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from functools import partial
from importlib import import_module
from typing import TypeAlias

from starlette.types import Receive, Scope, Send

from stringd.api.questions import OpenQuestion, Trust
from stringd.questions.open_questions import OpenQuestions
from stringd.text.envelope import Request
from stringd.text.escaping import visible_line

BUFFERED_SECONDS = 0.2
HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "connection": "keep-alive",
    "x-accel-buffering": "no",
}
RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
_Question: TypeAlias = "Callable[[], OpenQuestion | None]"
"""Returns the question that a command currently waits for."""
# Streams need these, and few daemons stream at once; anyio imports its backend where it is first used.
_STREAMING = {"sse_starlette", "anyio._backends._asyncio"}


class EventStream:
    """The response to one command, which continues if the client disconnects."""

    def __init__(self, questions: OpenQuestions, scope: Scope, receive: Receive, send: Send) -> None:
        self._questions = questions
        self._scope = scope
        self._receive = receive
        self._send = send
        self._timer: asyncio.TimerHandle | None = None
        self._streaming: asyncio.Task[None] | None = None
        self._events = b""
        self._ended = asyncio.Event()

    def begin(self, request: Request, ping_seconds: float) -> None:
        """Open a stream with keep-alive comments if the command takes long."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(BUFFERED_SECONDS, self._open, request, ping_seconds)

    async def end(self, events: bytes) -> None:
        """Send the events, as one response or at the end of the stream."""
        self._events = events
        self._ended.set()
        if self._streaming:
            await self._streaming
        else:
            await self._send_whole(events)

    def close(self) -> None:
        """Cancel the opening of a stream."""
        if self._timer:
            self._timer.cancel()

    def _open(self, request: Request, ping_seconds: float) -> None:
        question = partial(
            self._questions.of_request, request.user_id, request.topic.text, request.request_id
        )
        self._streaming = asyncio.create_task(self._stream(question, ping_seconds))

    async def _stream(self, question: _Question, ping_seconds: float) -> None:
        if not sys.modules.keys() >= _STREAMING:
            await asyncio.to_thread(_import_streaming)
        from sse_starlette import EventSourceResponse, ServerSentEvent

        response = EventSourceResponse(
            self._all_events(question),
            headers=HEADERS,
            ping=ping_seconds,
            ping_message_factory=lambda: ServerSentEvent(comment=_state(question()), sep="\n"),
            sep="\n",
        )
        await response(self._scope, self._receive, self._send)

    async def _all_events(self, question: _Question) -> AsyncIterator[bytes]:
        async for asked in self._asked(question):
            yield f": {_waiting_for(asked)}\n\n".encode()
        yield self._events

    async def _asked(self, question: _Question) -> AsyncIterator[OpenQuestion]:
        """Yield each question that the command waits for, until it ends."""
        shown: str | None = None
        ended = asyncio.create_task(self._ended.wait())
        try:
            with self._questions.watched() as changed:
                while not ended.done():
                    changed.clear()
                    asked = question()
                    if asked and asked.id != shown:
                        shown = asked.id
                        yield asked
                    await _first_of(ended, changed)
        finally:
            ended.cancel()

    async def _send_whole(self, events: bytes) -> None:
        length = (b"content-length", str(len(events)).encode())
        await self._send({"type": "http.response.start", "status": 200, "headers": [*RAW_HEADERS, length]})
        await self._send({"type": "http.response.body", "body": events})


def _import_streaming() -> None:
    for name in sorted(_STREAMING):
        import_module(name)


def _state(question: OpenQuestion | None) -> str:
    return _waiting_for(question) if question else "still running"


def _waiting_for(question: OpenQuestion) -> str:
    trust = "a person" if question.question.trust is Trust.PERSON else "anyone"
    return (
        f"waiting for an answer by {trust} to question {question.id}: {visible_line(question.question.title)}"
    )


async def _first_of(ended: asyncio.Task[bool], changed: asyncio.Event) -> None:
    change = asyncio.ensure_future(changed.wait())
    try:
        await asyncio.wait({ended, change}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        change.cancel()
