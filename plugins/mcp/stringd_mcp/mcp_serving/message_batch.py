"""Batches of the revision 2025-03-26: each message is served by itself, and all answers are one stream."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stringd_mcp.mcp_serving.raw_messages import parsed_message, refusal_of

_MOST_MESSAGES = 100
_OPENING = "initialize"
_STREAM = (b"content-type", b"text/event-stream")


def batch_of(body: bytes) -> Sequence[Any] | None:
    """Return the messages of a batch that can be served; None if the body is none."""
    if not body.lstrip().startswith(b"["):
        return None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    is_opening = any(isinstance(it, dict) and it.get("method") == _OPENING for it in found)
    return found if 0 < len(found) <= _MOST_MESSAGES and not is_opening else None


class MessageBatch:
    """Serves the messages of one batch at once; requests and progress of the server are streamed as well."""

    def __init__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        self._app = app
        self._scope = scope
        self._receive = receive
        self._send = send
        self._has_begun = False
        self._sending = anyio.Lock()

    async def serve(self, messages: Sequence[Any]) -> None:
        """Serve all messages; without requests and errors there is nothing to answer."""
        async with anyio.create_task_group() as tasks:
            for it in messages:
                tasks.start_soon(self._serve_one, json.dumps(it).encode())
        if not self._has_begun:
            await self._send({"type": "http.response.start", "status": 202, "headers": []})
        await self._send({"type": "http.response.body", "body": b""})

    async def _serve_one(self, body: bytes) -> None:
        if parsed_message(body) is None:
            await self._stream(_event(refusal_of(body).encode()))
            return
        unread = [body]

        async def receive() -> Message:
            if unread:
                return {"type": "http.request", "body": unread.pop(), "more_body": False}
            return await self._receive()

        status, kept = 200, b""

        async def send(message: Message) -> None:
            nonlocal status, kept
            if message["type"] == "http.response.start":
                status = message["status"]
            elif status == 200:
                await self._stream(message.get("body", b""))
            else:
                kept += message.get("body", b"")

        length = (b"content-length", str(len(body)).encode())
        headers = [it for it in self._scope["headers"] if it[0] != length[0]]
        await self._app({**self._scope, "headers": [*headers, length]}, receive, send)
        if kept:
            await self._stream(_event(kept))

    async def _stream(self, data: bytes) -> None:
        if not data:
            return
        async with self._sending:
            if not self._has_begun:
                self._has_begun = True
                await self._send({"type": "http.response.start", "status": 200, "headers": [_STREAM]})
            await self._send({"type": "http.response.body", "body": data, "more_body": True})


def _event(data: bytes) -> bytes:
    return b"event: message\r\ndata: " + data + b"\r\n\r\n"
