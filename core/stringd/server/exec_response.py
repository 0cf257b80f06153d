"""The event stream of `/exec`: one response if the outcome comes soon, else kept alive until it does."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from functools import partial
from importlib import import_module
from itertools import takewhile
from typing import TypeAlias

from starlette.types import Receive, Scope, Send

from stringd.api.questions import OpenQuestion, Trust
from stringd.questions.open_questions import OpenQuestions
from stringd.server.request_guard import WHOLE_RESPONSE, header_lines
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
_HEAD = header_lines([*RAW_HEADERS, (b"content-length", b"%d")])
_Question: TypeAlias = "Callable[[], OpenQuestion | None]"
"""Returns the question that a command currently waits for."""
# Streams need these, and few daemons stream at once; anyio imports its backend where it is first used.
_STREAMING = {"sse_starlette", "anyio._backends._asyncio"}


class EventStreams:
    """Opens the streams of commands that take long, with one timer for all of them."""

    def __init__(self, questions: OpenQuestions, ping_seconds: float) -> None:
        self.questions = questions
        self.ping_seconds = ping_seconds
        self._due: dict[EventStream, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def open_later(self, stream: EventStream) -> None:
        """Open a stream after a while, once its command has got its turn, unless the command ends soon."""
        loop = asyncio.get_running_loop()
        self._due[stream] = due = loop.time() + BUFFERED_SECONDS
        if self._timer is None:
            self._timer = loop.call_at(due, self._open_due, loop)

    def end(self, stream: EventStream) -> None:
        """Do not open a stream any more."""
        self._due.pop(stream, None)

    def _open_due(self, loop: asyncio.AbstractEventLoop) -> None:
        now, self._timer = loop.time(), None
        for stream, _ in list(takewhile(lambda it: it[1] <= now, self._due.items())):
            self.end(stream)
            if stream.has_begun:
                stream.open()
            else:
                self._due[stream] = now + BUFFERED_SECONDS
        if self._due:
            self._timer = loop.call_at(next(iter(self._due.values())), self._open_due, loop)


class EventStream:
    """The response to one command, which continues if the client disconnects."""

    __slots__ = (
        "_ended",
        "_events",
        "_receive",
        "_scope",
        "_send",
        "_streaming",
        "_streams",
        "has_begun",
        "request",
    )

    def __init__(self, streams: EventStreams, scope: Scope, receive: Receive, send: Send) -> None:
        self.has_begun = False
        """Whether the turn of the command has begun: before, it may still be refused."""
        self.request: Request | None = None
        self._streams = streams
        self._scope = scope
        self._receive = receive
        self._send = send
        self._streaming: asyncio.Task[None] | None = None
        self._events = b""
        self._ended: asyncio.Event | None = None
        streams.open_later(self)

    def close(self) -> None:
        """Do not open the stream any more."""
        self._streams.end(self)

    def open(self) -> None:
        """Open the stream, with keep-alive comments."""
        request, questions = self.request, self._streams.questions
        assert request is not None
        question = partial(questions.of_request, request.user_id, request.topic.text, request.request_id)
        self._ended = asyncio.Event()
        self._streaming = asyncio.create_task(self._stream(question, self._ended))

    async def end(self, events: bytes) -> None:
        """Send the events, as one response or at the end of the stream."""
        if self._streaming is None or self._ended is None:
            await self._send({"type": WHOLE_RESPONSE, "head": _HEAD % len(events), "body": events})
            return
        self._events = events
        self._ended.set()
        await self._streaming

    async def _stream(self, question: _Question, end: asyncio.Event) -> None:
        if not sys.modules.keys() >= _STREAMING:
            await asyncio.to_thread(_import_streaming)
        from sse_starlette import EventSourceResponse, ServerSentEvent

        response = EventSourceResponse(
            self._all_events(question, end),
            headers=HEADERS,
            ping=self._streams.ping_seconds,
            ping_message_factory=lambda: ServerSentEvent(comment=_state(question()), sep="\n"),
            sep="\n",
        )
        await response(self._scope, self._receive, self._send)

    async def _all_events(self, question: _Question, end: asyncio.Event) -> AsyncIterator[bytes]:
        async for asked in self._asked(question, end):
            yield f": {_waiting_for(asked)}\n\n".encode()
        yield self._events

    async def _asked(self, question: _Question, end: asyncio.Event) -> AsyncIterator[OpenQuestion]:
        """Yield each question that the command waits for, until it ends."""
        shown: str | None = None
        ended = asyncio.create_task(end.wait())
        try:
            with self._streams.questions.watched() as changed:
                while not ended.done():
                    changed.clear()
                    asked = question()
                    if asked and asked.id != shown:
                        shown = asked.id
                        yield asked
                    await _first_of(ended, changed)
        finally:
            ended.cancel()


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
