"""`python -m bench.bare_pong`: a Starlette app that answers each message of a WebSocket with a pong."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from bench.serve import serve

PONG = '{"type":"pong","ts":"2026-11-18T09:30:00.123Z"}'


async def answer(socket: WebSocket) -> None:
    """Answer every message with the same text."""
    await socket.accept()
    async for _ in socket.iter_text():
        await socket.send_text(PONG)


if __name__ == "__main__":
    serve(Starlette(routes=[WebSocketRoute("/ws", answer)]), "bare")
