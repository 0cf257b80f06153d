"""Requests of browsers that the node with a user's home answers, since what they show is in its memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stringd.plugin import EventFilter, HomeReleased, Runtime
from stringd_console.access.signed_in_browsers import Browser
from stringd_console.console_page import ConsolePage

OPERATOR_HEADER = "X-Operator-Token"
BROWSER_HEADER = "X-Console-Browser"
PATH_HEADER = "X-Console-Path"
"""The path of the page whose form is sent."""
_ROOT = "/console/"
_USER_FIRST = ("at", "strategy")


def user_of_path(page: ConsolePage | None, below: Sequence[str]) -> str:
    """Return the user whose home has what a path below a page shows, `""` if it is not one user's."""
    return below[0] if page and page.is_of_users and len(below) > 1 else ""


def user_of_form(page: ConsolePage | None, fields: Mapping[str, str], path: str) -> str:
    """Return the user whom a form of a page concerns, by its fields or else by the path of the page."""
    if page is None or not page.is_of_users:
        return ""
    first = (fields[name].partition("/")[0] for name in _USER_FIRST if fields.get(name))
    named = fields.get("user") or next(first, "") or fields.get("id", "")
    return named or user_of_path(page, path.removeprefix(_ROOT).split("/")[1:])


def passed_browser(request: HTTPConnection, runtime: Runtime) -> Browser | None:
    """Return the browser for which another node asks this one: it has the operator's token."""
    token = request.headers.get(OPERATOR_HEADER, "")
    if runtime.peers is None or not runtime.questions.is_operator(token):
        return None
    return Browser.passed_on(request.headers.get(BROWSER_HEADER, ""))


async def home_left(runtime: Runtime, user_id: str) -> None:
    """Wait until the home of a user leaves this node."""
    wanted = EventFilter(user_id=user_id, kinds={HomeReleased.kind})
    with runtime.events.watch(wanted) as events:
        async for _ in events:
            return


class PassedRequest:
    """An application that has another one answer, for a browser, until something ends that."""

    def __init__(
        self, passage: ASGIApp, browser: Browser, ended: Callable[[], Awaitable[object]], body: bytes = b""
    ) -> None:
        self._passage = passage
        self._browser = browser
        self._ended = ended
        self._body: bytes | None = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as an ASGI application."""
        name = BROWSER_HEADER.lower().encode()
        headers = [*(it for it in scope["headers"] if it[0] != name), (name, self._browser.id.encode())]
        self._receive = receive
        passed = {**scope, "headers": headers}
        answering = asyncio.ensure_future(self._passage(passed, self._replayed, send))
        ending = asyncio.ensure_future(self._ended())
        try:
            await asyncio.wait({answering, ending}, return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                answering.result()
        finally:
            for task in (answering, ending):
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(answering, ending, return_exceptions=True)

    async def _replayed(self) -> Message:
        """Return the body, which has been read already, and then what else the browser sends."""
        body, self._body = self._body, None
        if body is None:
            return await self._receive()
        return {"type": "http.request", "body": body, "more_body": False}
