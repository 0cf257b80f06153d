"""Reading requests: user, path, body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.types import Receive, Scope

from stringd.api.users import User
from stringd.errors import ClientGone, InvalidBody, UserRequired
from stringd.runtime.local import LocalRuntime
from stringd.text.wire_json import load_json


def runtime_of(request: Request) -> LocalRuntime:
    """Return the runtime of the request's application."""
    runtime: LocalRuntime = request.app.state.runtime
    return runtime


def path_segments(request: Request) -> list[str]:
    """Return the segments of the path, decoded one by one: an encoded slash stays within its segment."""
    raw: bytes = request.scope["raw_path"]
    return [unquote(part) for part in raw.decode("latin-1").strip("/").split("/")]


async def read_body(receive: Receive) -> bytes:
    """Return the whole body; `RequestGuard` limits its size."""
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        return body
    chunks = [body]
    while message.get("more_body"):
        message = await receive()
        chunks.append(message.get("body", b""))
    if message["type"] == "http.disconnect":
        raise ClientGone
    return b"".join(chunks)


async def disconnected(receive: Receive) -> None:
    """Return when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


def requesting_user(scope: Scope, runtime: LocalRuntime) -> User:
    """Return the user of the `X-User-Id` header."""
    return runtime.user(requesting_user_id(scope))


def requesting_user_id(scope: Scope) -> str:
    """Return the `X-User-Id` header; whether there is such a user is not checked."""
    for name, value in scope["headers"]:
        if name == b"x-user-id" and (user_id := value.strip()):
            return _decode(user_id)
    raise UserRequired("X-User-Id header required")


def parse_json(body: bytes, expected: str) -> Mapping[str, Any]:
    """Return the body's JSON object, or raise `InvalidBody` with what is expected."""
    try:
        parsed = load_json(body)
    except ValueError:
        parsed = None
    if isinstance(parsed, dict):
        return parsed
    raise InvalidBody(f"Invalid JSON body — expected {expected}")


def _decode(header: bytes) -> str:
    try:
        return header.decode()
    except UnicodeDecodeError:
        return header.decode("latin-1")
