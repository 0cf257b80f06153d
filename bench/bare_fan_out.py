"""The reference of the console: an app that sends a command's two events to every open stream."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from bench.answer import Answer, load_answer
from bench.serve import ADDED, serve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

_OMITTED = ADDED | {"content-length"}
_EVENTS = (
    b'event: command-begun\ndata: {"topic":"file:main","label":"/info"}\n\n',
    b'event: command-ended\ndata: {"topic":"file:main","label":"/info","code":null,"seconds":0.0001}\n\n',
)


def app(recorded: Answer) -> Starlette:
    """Return an app with a route of streams, and one of commands."""
    headers = {name: value for name, value in recorded.headers.items() if name not in _OMITTED}
    streams: set[asyncio.Queue[bytes]] = set()

    async def live(_: Request) -> Response:
        return StreamingResponse(followed(), media_type="text/event-stream")

    async def followed() -> AsyncIterator[bytes]:
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        streams.add(queue)
        try:
            yield b": watching\n\n"
            while True:
                yield await queue.get()
        finally:
            streams.remove(queue)

    async def answer(request: Request) -> Response:
        await request.body()
        for event in _EVENTS:
            for queue in streams:
                queue.put_nowait(event)
        return Response(recorded.body, headers=headers)

    return Starlette(routes=[Route("/exec", answer, methods=["POST"]), Route("/live", live, methods=["GET"])])


if __name__ == "__main__":
    answer = load_answer(Path(sys.argv[1]))
    serve(app(answer), "fan-out", server_header="server" in answer.headers)
