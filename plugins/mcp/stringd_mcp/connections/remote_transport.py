"""Speak to a remote server over streamable HTTP, under the daemon's policy of addresses.

This module imports the SDK: import it only when a server is needed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from stringd.plugin import HttpFailed, Refusal, Runtime, Zone
from stringd_mcp.connections.program_transport import LONGEST_MESSAGE

_CONNECT_SECONDS = 30.0
_READ_SECONDS = 300.0


class PolicyTransport(httpx2.AsyncBaseTransport):
    """Connects to the addresses that the daemon's policy allows, and bounds what is received.

    URLs that the server names, as those of its sign-in, lead no nearer to this machine than the server is.
    """

    def __init__(self, runtime: Runtime, server: str) -> None:
        self._runtime = runtime
        self._server = httpx2.URL(server)
        self._known_zone: Zone | None = None
        self._transports: dict[str, httpx2.AsyncHTTPTransport] = {}
        self.refusal: Refusal | None = None

    @property
    def server_zone(self) -> Zone:
        """The zone of the server, once it has been connected to."""
        return Zone.PUBLIC if self._known_zone is None else self._known_zone

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request to the first address that accepts it."""
        addresses = await self._addresses(request.url)
        for number, address in enumerate(addresses, 1):
            try:
                response = await self._send(request, address)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                if number == len(addresses):
                    raise
            else:
                assert isinstance(response.stream, httpx2.AsyncByteStream)
                if not response.headers.get("content-type", "").startswith("text/event-stream"):
                    response.stream = _Bounded(response.stream)
                return response
        raise httpx2.ConnectError("no address", request=request)

    async def aclose(self) -> None:
        """Close all connections."""
        for transport in self._transports.values():
            await transport.aclose()

    async def _addresses(self, url: httpx2.URL) -> tuple[str, ...]:
        port = url.port or (443 if url.scheme == "https" else 80)
        is_server = _origin(url) == _origin(self._server)
        nearest = Zone.LOOPBACK if is_server or self._known_zone is None else self._known_zone
        try:
            route = await self._runtime.http.route(url.host, port, nearest_zone=nearest)
        except HttpFailed as error:
            raise httpx2.ConnectError(str(error)) from error
        except Refusal as refusal:
            self.refusal = refusal
            raise httpx2.ConnectError(refusal.message) from refusal
        if is_server:
            self._known_zone = route.zone
        return route.addresses

    async def _send(self, request: httpx2.Request, address: str) -> httpx2.Response:
        host = request.url.host
        # Connections are kept by address: one whose certificate is that of another host must not be reused.
        transport = self._transports.setdefault(host, httpx2.AsyncHTTPTransport(trust_env=False))
        sent = httpx2.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": host},
        )
        return await transport.handle_async_request(sent)


class _Bounded(httpx2.AsyncByteStream):
    """A body that fails once it is longer than a message may be."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > LONGEST_MESSAGE:
                most = LONGEST_MESSAGE // 1024 // 1024
                raise httpx2.ReadError(f"it sent a message of more than {most} MiB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


@asynccontextmanager
async def remote_streams(
    url: str, *, headers: Mapping[str, str], transport: PolicyTransport, auth: httpx2.Auth | None
) -> AsyncIterator[Any]:
    """Yield the streams of the messages of the server at a URL."""
    timeout = httpx2.Timeout(_CONNECT_SECONDS, read=_READ_SECONDS)
    async with (
        httpx2.AsyncClient(
            transport=transport, headers=dict(headers), timeout=timeout, auth=auth, trust_env=False
        ) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=LONGEST_MESSAGE) as streams,
    ):
        yield streams


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
