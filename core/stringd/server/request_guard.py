"""Checks on every request: Host and Origin (no web page may drive a shell), body size, CORS headers."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import ClassVar, TypeAlias

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stringd.config import REQUEST_LIMIT
from stringd.errors import BodyTooLarge, InvalidRequest, Misdirected, OriginRefused, Relayed
from stringd.server.json_responses import answer_to
from stringd.workers.guarded_calls import as_error, is_signal


def header_lines(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return headers as the lines of a head."""
    return b"".join([b"%b: %b\r\n" % header for header in headers])


CORS_HEADERS = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-headers", b"Content-Type, X-User-Id"),
    (b"access-control-allow-methods", b"GET, POST, DELETE, OPTIONS"),
]
WHOLE_RESPONSE = "stringd.response.whole"
"""The type of a message that is a whole response with status 200: the lines of its `head`, and its `body`.

This extension of ASGI saves small responses a second message, and a list of headers to examine one by one.
`scope["extensions"]` has the function that sends a head and a body.
"""
SendWhole: TypeAlias = Callable[[bytes, bytes], Awaitable[None]]
# Exactly the allowed forms: parsers disagree about anything else.
_AUTHORITY = re.compile(
    rb"(?:(?P<name>localhost)|(?P<v4>[0-9.]+)|\[(?P<v6>[0-9a-f:]+)\])(?::(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE,
)
_LAST_PORT = 65535
# What daemons of any version send in `User-Agent`.
_DAEMON = re.compile(rb"(?<!\S)stringd/", re.IGNORECASE)
_OWN_ORIGIN_ONLY = (b"cross-origin-resource-policy", b"same-origin")
_CORS_LINES = header_lines(CORS_HEADERS)
_STARTS = {"http.response.start", "websocket.accept", "websocket.http.response.start"}
BEGINNINGS = frozenset({*_STARTS, WHOLE_RESPONSE})
"""The messages with which an answer begins."""


class RequestGuard:
    """ASGI middleware around everything that the daemon serves, including plugins' routes."""

    def __init__(self, app: ASGIApp, *, allowed_origins: frozenset[str], is_cors_open: bool = True) -> None:
        self._app = app
        self._answer = _Answer if is_cors_open else _ClosedAnswer
        self._allowed_origins = allowed_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request; answer errors that the application leaves unanswered."""
        answer = self._answer(scope, send)
        try:
            headers = dict(scope["headers"])
            if len(headers) < len(scope["headers"]):
                _refuse_ambiguity([name for name, _ in scope["headers"]])
            self._check_browser(headers)
            if agent := headers.get(b"user-agent"):
                _refuse_daemons(agent)
            capped = _capped(headers, receive)
            if scope.get("method") == "OPTIONS":
                await Response(status_code=204)(scope, capped, answer.send)
            else:
                await self._app(scope, capped, answer.send)
        except BaseException as error:
            if answer.started or is_signal(error):
                raise
            await answer_to(as_error(error))(scope, receive, answer.send)

    def _check_browser(self, headers: Mapping[bytes, bytes]) -> None:
        host = headers.get(b"host", b"")
        if not _is_loopback(host):
            raise Misdirected(f"Host is not loopback: {host.decode('latin-1') or '(none)'}")
        origin = headers.get(b"origin")
        if origin is None and headers.get(b"sec-fetch-site") == b"cross-site":
            raise OriginRefused("A page of another site may not call the daemon.")
        if origin is not None and not self._is_allowed(origin.lower()):
            raise OriginRefused(f"Origin is not allowed: {origin.decode('latin-1')}")

    def _is_allowed(self, origin: bytes) -> bool:
        scheme, _, authority = origin.partition(b"://")
        is_page = scheme in {b"http", b"https"}
        return origin.decode("latin-1") in self._allowed_origins or (is_page and _is_loopback(authority))


async def _send_nothing(_head: bytes, _body: bytes) -> None:
    """Drop a response: the client has left."""


# A connection that is lost takes its functions with it.
_NOBODY_LEFT: Mapping[str, SendWhole] = {WHOLE_RESPONSE: _send_nothing}


class _Answer:
    """Adds the CORS headers to a response, unless it is for its own origin only; records its start."""

    cors_headers: ClassVar = CORS_HEADERS
    cors_lines: ClassVar = _CORS_LINES

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self.started = False

    def send(self, message: Message) -> Awaitable[None]:
        kind = message["type"]
        if kind == WHOLE_RESPONSE:
            self.started = True
            send_whole: SendWhole = self._scope.get("extensions", _NOBODY_LEFT)[WHOLE_RESPONSE]
            return send_whole(message["head"] + self.cors_lines, message["body"])
        if kind in _STARTS:
            self.started = True
            headers = message.get("headers", ())
            # A response that says so may not be read by pages of other origins.
            if _OWN_ORIGIN_ONLY not in headers:
                message["headers"] = [*headers, *self.cors_headers]
        return self._send(message)


class _ClosedAnswer(_Answer):
    """Leaves responses as they are, for the pages of their own origin only; records their start."""

    cors_headers: ClassVar[list[tuple[bytes, bytes]]] = []
    cors_lines: ClassVar = b""


def _capped(headers: Mapping[bytes, bytes], receive: Receive) -> Receive:
    length = headers.get(b"content-length")
    if length is not None and length.isdigit():
        if int(length) > REQUEST_LIMIT:
            raise BodyTooLarge(f"Request body exceeds {REQUEST_LIMIT} bytes")
        return receive
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > REQUEST_LIMIT:
            raise BodyTooLarge(f"Request body exceeds {REQUEST_LIMIT} bytes")
        return message

    return counted


def _refuse_ambiguity(names: Sequence[bytes]) -> None:
    for name in (b"host", b"origin", b"user-agent", b"x-user-id"):
        if names.count(name) > 1:
            raise InvalidRequest(f"More than one {name.decode()} header")


def _refuse_daemons(user_agent: bytes) -> None:
    if _DAEMON.search(user_agent):
        raise Relayed("No page or action of a stringd may call a stringd.")


@lru_cache(maxsize=256)
def _is_loopback(authority: bytes) -> bool:
    found = _AUTHORITY.fullmatch(authority)
    if found is None or int(found["port"] or 0) > _LAST_PORT:
        return False
    try:
        return bool(found["name"]) or ip_address((found["v4"] or found["v6"]).decode()).is_loopback
    except ValueError:
        return False
