"""WebSockets to other nodes."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from starlette.types import Scope
from websockets.asyncio.client import ClientConnection
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake, InvalidStatus
from websockets.http11 import Response
from websockets.typing import Subprotocol
from websockets.uri import WebSocketURI

from stringd_cluster.hop.hop_headers import HOP, Caller, encode_caller, passed_on, value_of
from stringd_cluster.hop.peer_connections import CONNECT_SECONDS, PeerConnections, target_of
from stringd_cluster.hop.peer_connector import keep_alive
from stringd_cluster.hop.peer_watch import PeerLost
from stringd_cluster.membership.live_nodes import Node

_WRITE_BYTES = 64 * 1024
_MOST_QUEUED = 8
_HANDSHAKE = b"sec-websocket-"


async def open_websocket(
    connections: PeerConnections, node: Node, scope: Scope, caller: Caller
) -> ClientConnection:
    """Open the WebSocket that a client asks for; raise `InvalidStatus` if it is refused, or `PeerLost`."""
    subprotocols = [Subprotocol(it) for it in scope.get("subprotocols", ())]
    # The node limits what clients send; what its applications send is as long as they have made it.
    protocol = ClientProtocol(_uri(scope), subprotocols=subprotocols or None, max_size=None)
    peer = await _connect(connections, node, protocol)
    try:
        await peer.handshake(_headers(scope, caller), user_agent_header=None)
    except (InvalidHandshake, EOFError, OSError) as error:
        peer.transport.abort()
        if isinstance(error, InvalidStatus):
            raise
        raise PeerLost(str(error) or type(error).__name__) from error
    except asyncio.CancelledError:
        peer.transport.abort()
        raise
    return peer


def raw_headers(response: Response) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer as they were sent."""
    return [
        (name.encode(), value.encode("utf-8", "surrogateescape"))
        for name, value in response.headers.raw_items()
    ]


async def _connect(connections: PeerConnections, node: Node, protocol: ClientProtocol) -> ClientConnection:
    address = urlsplit(f"//{node.address}")
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            transport, peer = await asyncio.get_running_loop().create_connection(
                lambda: ClientConnection(
                    protocol, ping_interval=None, max_queue=_MOST_QUEUED, write_limit=_WRITE_BYTES
                ),
                address.hostname or "",
                address.port or 0,
                ssl=connections.tls,
                server_hostname=connections.host_of(node),
            )
    except (OSError, TimeoutError) as error:
        raise PeerLost(str(error) or type(error).__name__) from error
    keep_alive(transport.get_extra_info("socket"))
    return peer


def _uri(scope: Scope) -> WebSocketURI:
    """Return what the client asked for, by the host that it named."""
    host = urlsplit("//" + (value_of(scope["headers"], b"host") or b"localhost").decode("latin-1"))
    path, _, query = target_of(scope).partition("?")
    return WebSocketURI(True, host.hostname or "localhost", host.port or 443, path, query)


def _headers(scope: Scope, caller: Caller) -> list[tuple[str, str]]:
    raw = scope["headers"]
    kept = [(name, value) for name, value in raw if name != b"host" and not name.startswith(_HANDSHAKE)]
    return [*passed_on(kept), (HOP.decode(), encode_caller(caller))]
