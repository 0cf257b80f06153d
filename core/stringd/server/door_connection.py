"""A client's connection to a door: its requests say by which socket they came, and from whom."""

from __future__ import annotations

from asyncio import BaseTransport, Transport
from collections.abc import Sequence
from functools import partial
from typing import Any

from uvicorn import Config
from uvicorn.server import ServerState
from websockets.http11 import Request

from stringd.api.doors import LISTENING, PEER_CERTIFICATE
from stringd.server.client_connection import Connection
from stringd.server.client_timeouts import ClientTimeouts
from stringd.server.websocket_connection import WebSocketConnection


class DoorConnection(Connection):
    """An HTTP connection by a named socket, or by the port on loopback, which has no name."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        timeouts: ClientTimeouts,
        *,
        listening: str,
        cors_headers: Sequence[tuple[bytes, bytes]],
    ) -> None:
        super().__init__(config, server_state, app_state, timeouts)
        self.ws_protocol_class = partial(DoorWebSocket, timeouts=timeouts, listening=listening)  # type: ignore[assignment]
        self.cors_headers = cors_headers
        self._listening = listening

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Note who the client is."""
        super().connection_made(transport)
        self.extensions = _extensions(self._listening, transport)

    def shutdown(self) -> None:
        """Stay open until the topics have ended: what was just sent is refused, so that it runs elsewhere."""


class DoorWebSocket(WebSocketConnection):
    """A WebSocket by a named socket."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        *,
        timeouts: ClientTimeouts,
        listening: str,
    ) -> None:
        super().__init__(config, server_state, app_state, timeouts=timeouts)
        self._listening = listening

    def handle_connect(self, event: Request) -> None:
        """Name the socket and the client; the application is called later."""
        super().handle_connect(event)
        if not self.close_sent:
            extensions: dict[str, Any] = self.scope.setdefault("extensions", {})
            extensions.update(_extensions(self._listening, self.transport))


def _extensions(listening: str, transport: BaseTransport) -> dict[str, Any]:
    """Return what requests of a connection carry."""
    certificate = transport.get_extra_info("peercert")
    return {LISTENING: listening} | ({PEER_CERTIFICATE: certificate} if certificate else {})
