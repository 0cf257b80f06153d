"""Responses of the console, with headers that allow a page nothing but the console's own files."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import quote

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stringd.plugin import RequestRefused
from stringd_console.console_page import Download

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types stringd",
    )
)
_HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_HEADER_LINES = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]


class ProtectedResponses:
    """ASGI middleware that adds the headers to all responses of a route, errors included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [(name.lower(), value) for name, value in message.get("headers", ())]
                names = {name for name, _ in given}
                message["headers"] = [*given, *(it for it in _HEADER_LINES if it[0] not in names)]
            await send(message)

        await self._app(scope, receive, protected)


def protected_route(method: str, path: str, endpoint: Callable[[Request], Awaitable[ASGIApp]]) -> Route:
    """Return a route whose responses have the headers."""
    return Route(path, endpoint, methods=[method], middleware=[Middleware(ProtectedResponses)])


class InvalidFields(RequestRefused):
    """The fields of an action are not what the page's script sends."""

    code = "INVALID_BODY"


def html_response(html: str, status: int = 200) -> Response:
    """Return a page."""
    return HTMLResponse(html.encode(errors="replace"), status)


def json_response(value: object, status: int = 200) -> Response:
    """Return the answer to a page's script."""
    return Response(json.dumps(value), status, media_type="application/json")


def file_response(download: Download) -> Response:
    """Return a file, which the browser saves and never shows."""
    name = quote(download.file_name, safe="", errors="replace")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return StreamingResponse(download.content, 200, headers, download.media_type)


async def read_fields(request: Request) -> Mapping[str, str]:
    """Return the JSON object of texts that a page's script has sent."""
    try:
        fields = await request.json()
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or not all(map(_is_text, fields.values())):
        raise InvalidFields("Expected a JSON object whose values are strings.")
    return fields


def _is_text(value: object) -> bool:
    """Whether this is a text that can be encoded, without half of a surrogate pair."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False
