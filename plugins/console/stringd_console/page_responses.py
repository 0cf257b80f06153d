"""Responses of the console, with headers that allow a page nothing but the console's own files."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

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
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class InvalidFields(RequestRefused):
    """The fields of an action are not what the page's script sends."""

    code = "INVALID_BODY"


def html_response(html: str, status: int = 200) -> Response:
    """Return a page."""
    return HTMLResponse(html, status, HEADERS)


def json_response(value: object, status: int = 200) -> Response:
    """Return the answer to a page's script."""
    return JSONResponse(value, status, HEADERS)


def file_response(download: Download) -> Response:
    """Return a file, which the browser saves and never shows."""
    name = quote(download.file_name, safe="", errors="replace")
    headers = {**HEADERS, "Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return StreamingResponse(download.content, 200, headers, download.media_type)


async def read_fields(request: Request) -> Mapping[str, str]:
    """Return the JSON object of texts that a page's script has sent."""
    try:
        fields = await request.json()
    except ValueError:
        fields = None
    if not isinstance(fields, dict) or not all(isinstance(it, str) for it in fields.values()):
        raise InvalidFields("Expected a JSON object whose values are strings.")
    return fields
