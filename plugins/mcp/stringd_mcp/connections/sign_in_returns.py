"""The route that browsers return to after a sign-in, and the sign-ins that wait for them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

PATH = "/mcp/signed-in"


class Returned(Struct, frozen=True, kw_only=True):
    """What an authorization server says through the browser."""

    code: str = ""
    state: str = ""
    issuer: str | None = None
    error: str = ""

    @classmethod
    def of(cls, query: str) -> Returned:
        """Read the query of the address that the browser returned to."""
        values = {name: found[0] for name, found in parse_qs(query).items()}
        error = values.get("error_description") or values.get("error", "")
        return cls(
            code=values.get("code", ""), state=values.get("state", ""), issuer=values.get("iss"), error=error
        )


class SignInReturns:
    """The sign-ins that are under way, by the unguessable `state` of each."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[Returned]] = {}

    @contextmanager
    def awaited(self, state: str) -> Iterator[asyncio.Future[Returned]]:
        """Return what becomes the return of the browser with this state."""
        future: asyncio.Future[Returned] = asyncio.get_running_loop().create_future()
        self._waiting[state] = future
        try:
            yield future
        finally:
            del self._waiting[state]
            future.cancel()

    def route(self) -> Route:
        """Return the route of the daemon that browsers return to."""
        return Route(PATH, self._take, methods=["GET"])

    async def _take(self, request: Request) -> Response:
        found = Returned.of(request.url.query)
        future = self._waiting.get(found.state)
        if future is None or future.done():
            return PlainTextResponse("No sign-in waits for this.", status_code=404)
        future.set_result(found)
        said = "The sign-in was refused." if found.error else "Signed in."
        return PlainTextResponse(f"{said} You can close this page.")
