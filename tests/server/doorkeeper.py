"""A plugin with a door; `DOORKEEPER` says what it listens on: name, port, certificate, CA of clients."""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Callable, Iterable

from starlette.responses import JSONResponse
from starlette.routing import WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from stringd.plugin import LISTENING, PEER_CERTIFICATE, Door, InvalidTopic, Listening, Runtime, hookimpl

SOCKETS: list[tuple[str, str, int, str, str]] = json.loads(os.environ["DOORKEEPER"])


def listening(name: str, host: str, port: int, certificate: str, ca: str) -> Listening:
    if not certificate:
        return Listening(name=name, host=host, port=port)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=ca or None)
    context.load_cert_chain(certificate)
    context.verify_mode = ssl.CERT_REQUIRED if ca else ssl.CERT_NONE
    return Listening(name=name, host=host, port=port, tls=context)


def keeper(runtime: Runtime) -> Callable[[ASGIApp], ASGIApp]:
    def wrap(app: ASGIApp) -> ASGIApp:
        async def door(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["path"] == "/door/refused":
                refused = InvalidTopic("no:topic")
                refused.headers = {"Retry-After": "1"}
                raise refused
            if scope["path"] == "/door/broken":
                raise RuntimeError("the door is broken")
            if scope["path"] == "/door" and scope["type"] == "http":
                ports = {name: address.port for name, address in runtime.listening.items()}
                seen = {
                    "by": scope["extensions"][LISTENING],
                    "scheme": scope["scheme"],
                    "port": runtime.port,
                    "peer": scope["extensions"].get(PEER_CERTIFICATE, {}).get("subject"),
                    "ports": ports,
                }
                await JSONResponse(seen, headers={"by": seen["by"]})(scope, receive, send)
            else:
                await app(scope, receive, send)

        return door

    return wrap


@hookimpl
def stringd_doors(runtime: Runtime) -> Iterable[Door]:
    def listen() -> list[Listening]:
        return [listening(*it) for it in SOCKETS]

    return [Door(name="keeper", wrap=keeper(runtime), listen=listen if SOCKETS else None, is_cors_open=False)]


@hookimpl
def stringd_routes() -> Iterable[WebSocketRoute]:
    async def echo(socket: WebSocket) -> None:
        peer = json.dumps(socket.scope["extensions"].get(PEER_CERTIFICATE, {}).get("subject"))
        await socket.accept(headers=[(b"peer", peer.encode())])
        await socket.send_text(socket.scope["extensions"][LISTENING])
        async for text in socket.iter_text():
            await socket.send_text(text)

    return [WebSocketRoute("/echo", echo)]
