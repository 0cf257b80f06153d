"""One WebSocket of the daemon's HTTP server, which receives and sends texts."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from starlette.types import Receive, Send


class CloseCode(IntEnum):
    """Why the daemon closes a WebSocket (RFC 6455, section 7.4)."""

    GOING_AWAY = 1001
    NOT_UTF_8 = 1007
    SERVICE_RESTART = 1012
    TRY_AGAIN_LATER = 1013


class TextSocket:
    """Receives text and binary messages alike as texts, and sends texts that are encoded already."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def accept(self) -> None:
        """Accept the connection."""
        await self._receive()
        await self._send({"type": "websocket.accept"})

    async def receive(self) -> str | None:
        """Return the next text; None at the end. Raises `UnicodeDecodeError`."""
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            return None
        text: str | None = message.get("text")
        return message["bytes"].decode() if text is None else text

    async def send(self, texts: Sequence[bytes]) -> None:
        """Send texts, as fast as the client reads; raises `OSError` if it has left."""
        await self._send({"type": "websocket.send", "texts": texts})

    async def close(self, code: CloseCode, reason: str) -> None:
        """Close the connection."""
        await self._send({"type": "websocket.close", "code": int(code), "reason": reason})
