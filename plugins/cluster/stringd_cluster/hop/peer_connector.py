"""How connections to other nodes are made."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Sequence

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.tracing import Trace

_KEPT_SECONDS = 30.0
"""Less than after which the other node closes a connection: not while a request is on its way."""
_KEEPALIVE = {
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE): 1,
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE): 5,
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL): 2,
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT): 3,
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT): 11_000,
}


class PeerConnector(aiohttp.BaseConnector):
    """Has the event loop open sockets and shake hands.

    The connector of aiohttp opens sockets itself. If a peer resets such a connection at once, uvloop closes
    its descriptor twice, the second time when it is another connection's.
    """

    def __init__(self, tls: ssl.SSLContext) -> None:
        super().__init__(limit=0, keepalive_timeout=_KEPT_SECONDS)
        self._tls = tls

    async def _create_connection(
        self,
        req: aiohttp.ClientRequest,
        traces: Sequence[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - the signature is that of aiohttp
    ) -> ResponseHandler:
        del traces
        async with asyncio.timeout(timeout.sock_connect):
            transport, protocol = await self._loop.create_connection(
                self._factory,
                req.url.raw_host or "",
                req.url.port or 0,
                ssl=self._tls,
                server_hostname=req.server_hostname,
            )
        keep_alive(transport.get_extra_info("socket"))
        return protocol


def keep_alive(connection: socket.socket) -> None:
    """Notice within some ten seconds that the machine at the other end can't be reached any more."""
    for (level, option), value in _KEEPALIVE.items():
        connection.setsockopt(level, option, value)
