"""What is served behind the hop in its tests: it notes what it sees, and answers as the path says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from stringd_cluster.hop.hop_headers import Caller

CHUNK = bytes(range(256)) * 256


class HoppingApp:
    """An application for callers that other nodes name."""

    def __init__(self) -> None:
        self.log: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send, caller: Caller) -> None:
        """Answer by the path."""
        served: Callable[[Scope, Receive, Send, Caller], Awaitable[None]]
        served = getattr(self, "_serve_" + scope["path"].strip("/").replace("%2F", "_").split("/")[0])
        await served(scope, receive, send, caller)

    async def _serve_seen(self, scope: Scope, receive: Receive, send: Send, caller: Caller) -> None:
        """Answer with what arrived."""
        size = await _size(receive)
        seen = {
            "method": scope["method"],
            "target": (scope["raw_path"] + b"?" + scope["query_string"]).decode("latin-1"),
            "headers": [
                [name.decode("latin-1"), value.decode("latin-1")] for name, value in scope["headers"]
            ],
            "caller": [caller.entry, caller.user_id, caller.principal.user_id, *caller.principal.scopes],
            "size": size,
        }
        await JSONResponse(seen)(scope, receive, send)

    async def _serve_echo(self, scope: Scope, receive: Receive, send: Send, _: Caller) -> None:
        """Answer with the body while it arrives."""
        await send({"type": "http.response.start", "status": 200, "headers": []})
        has_more = True
        while has_more:
            message = await receive()
            has_more = message.get("more_body", False)
            await send({"type": "http.response.body", "body": message["body"], "more_body": has_more})

    async def _serve_bytes(self, scope: Scope, receive: Receive, send: Send, _: Caller) -> None:
        """Answer with many bytes, and note how many were taken."""
        count = int(parse_qs(scope["query_string"].decode())["chunks"][0])
        length = str(count * len(CHUNK)).encode()
        headers = [(b"content-length", length)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for at in range(count):
            await send({"type": "http.response.body", "body": CHUNK, "more_body": at < count - 1})
            self.log[:] = [str(at + 1)]

    async def _serve_answer(self, scope: Scope, receive: Receive, send: Send, _: Caller) -> None:
        """Answer with a status and headers of all kinds."""
        status = int(parse_qs(scope["query_string"].decode()).get("status", ["200"])[0])
        headers = [
            (b"X-Twice", b"1"),
            (b"x-twice", b"2"),
            (b"x-latin", b"caf\xe9"),
            (b"x-long", b"x" * 20_000),
            (b"set-cookie", b"a=1; Path=/"),
            (b"set-cookie", b"b=2"),
            (b"connection", b"keep-alive, x-private"),
            (b"x-private", b"1"),
            (b"content-encoding", b"gzip"),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if status in (204, 304) else b"not gzip"})

    async def _serve_wait(self, scope: Scope, receive: Receive, send: Send, _: Caller) -> None:
        """Read the body, and never answer; note how that ended."""
        await self._note_until_left(scope, receive)

    async def _serve_exec(self, scope: Scope, receive: Receive, send: Send, _: Caller) -> None:
        """Run as a command does, at most once per node; `wait` never ends."""
        fields = json.loads((await receive())["body"])
        self.log.append(f"ran {fields['cmd']}")
        if fields["cmd"] == "wait":
            while (await receive())["type"] != "http.disconnect":
                pass
        await Response(f"{fields['cmd']} has run")(scope, receive, send)

    async def _serve_refused(self, scope: Scope, receive: Receive, send: Send, _: Caller) -> None:
        """Refuse the first request, as the owner of a home does that is passed on."""
        size = await _size(receive)
        self.log.append(f"got {size}")
        answer = Response("ran")
        if len(self.log) == 1:
            answer = Response("refused", 503, headers={"X-Error-Code": "HOME_UNAVAILABLE"})
        await answer(scope, receive, send)

    async def _serve_events(self, scope: Scope, receive: Receive, send: Send, _: Caller) -> None:
        """Send an event at once, and others as they are asked for; note how that ended."""
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"data: 1\n\n", "more_body": True})
        await self._note_until_left(scope, receive)

    async def _serve_websocket(self, scope: Scope, receive: Receive, send: Send, caller: Caller) -> None:
        """Echo messages; `close CODE` closes; note how that ended."""
        await receive()
        headers = [(b"x-user", caller.user_id.encode())]
        chosen = next(iter(scope["subprotocols"]), None)
        await send({"type": "websocket.accept", "subprotocol": chosen, "headers": headers})
        while (message := await receive())["type"] == "websocket.receive":
            text = message.get("text")
            if text and text.startswith("close "):
                await send({"type": "websocket.close", "code": int(text[6:]), "reason": "as told"})
                return
            if text and text.startswith("flood "):
                for at in range(int(text[6:])):
                    await send({"type": "websocket.send", "bytes": CHUNK})
                    self.log[:] = [str(at + 1)]
            elif text is None:
                await send({"type": "websocket.send", "bytes": message["bytes"]})
            else:
                await send({"type": "websocket.send", "text": text})
        self.log.append(f"closed {message['code']} {message.get('reason') or ''}".strip())

    async def _serve_closed(self, scope: Scope, receive: Receive, send: Send, _: Caller) -> None:
        """Refuse a WebSocket."""
        await JSONResponse({"error": "no"}, 403, headers={"x-why": "no"})(scope, receive, send)

    async def _note_until_left(self, scope: Scope, receive: Receive) -> None:
        self.log.append(f"reading {scope['path']}")
        try:
            while (await receive()).get("more_body"):
                pass
            self.log[-1] = f"begun {scope['path']}"
            while (await receive())["type"] != "http.disconnect":
                pass
            self.log.append(f"left {scope['path']}")
        except asyncio.CancelledError:
            self.log.append(f"cancelled {scope['path']}")
            raise


async def _size(receive: Receive) -> int:
    """Read a body; return its length."""
    size, has_more = 0, True
    while has_more:
        message = await receive()
        size += len(message.get("body", b""))
        has_more = message.get("more_body", False)
    return size
