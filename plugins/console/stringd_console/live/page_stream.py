"""The event stream of one browser: the frame of all pages, and the page that it shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing

from starlette.types import Receive, Scope, Send

from stringd_console.live.live_page import LivePage
from stringd_console.live.snapshot import NOTHING, Snapshot

_PING_SECONDS = 15.0
_HEAD = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
]


class PageStream:
    """Sends the patches of views until the browser leaves or a view ends, as all do when the daemon stops.

    `known` are the digests of what the browser shows already. The stream also ends when `ended` returns.
    """

    def __init__(
        self,
        followed: Callable[[], AbstractAsyncContextManager[Sequence[LivePage]]],
        known: Sequence[str],
        ended: Callable[[], Awaitable[object]],
    ) -> None:
        self._followed = followed
        self._known = {*known} - {""}
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as an ASGI application."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEAD})
        leaving = asyncio.create_task(either(_disconnected(receive), self._ended()))
        try:
            async with self._followed() as views, aclosing(self._events(views, leaving)) as events:
                async for event in events:
                    await send({"type": "http.response.body", "body": event, "more_body": True})
        finally:
            leaving.cancel()
        await send({"type": "http.response.body", "body": b""})

    async def _events(
        self, views: Sequence[LivePage], leaving: asyncio.Task[None]
    ) -> AsyncGenerator[bytes, None]:
        yield b": watching\nretry: 1000\n\n"
        shown = [NOTHING for _ in views]
        waiting = [asyncio.create_task(view.next(NOTHING)) for view in views]
        try:
            while not leaving.done():
                await asyncio.wait(
                    {leaving, *waiting}, timeout=_PING_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                if not any(it.done() for it in waiting):
                    yield b": still watching\n\n"
                for index, view in enumerate(views):
                    if not waiting[index].done():
                        continue
                    snapshot = waiting[index].result()
                    if event := self._event(shown[index], snapshot):
                        yield event
                    if view.has_ended:
                        return
                    shown[index] = snapshot
                    waiting[index] = asyncio.create_task(view.next(snapshot))
        finally:
            for task in waiting:
                task.cancel()

    def _event(self, earlier: Snapshot, later: Snapshot) -> bytes:
        """Return a patch as an event, unless the browser shows this already."""
        if earlier is NOTHING and self._known and later.digest in self._known:
            return b""
        patch = later.patch_from(earlier)
        return b"event: patch\ndata: %b\n\n" % patch if patch else b""


async def either(one: Awaitable[object], other: Awaitable[object]) -> None:
    """Return when either has returned."""
    tasks = [asyncio.ensure_future(one), asyncio.ensure_future(other)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
