"""Connections to the addresses of a route, kept for later requests that go the same way."""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Iterable

import certifi
import httpcore

from stringd.http_client.network_policy import Route
from stringd.http_client.observed_streams import ObservedStream

CONNECT_SECONDS = 10.0
FIRST_TRIES_SECONDS = 2.5
MOST_CONNECTIONS = 256
MOST_KEPT = 64
KEPT_SECONDS = 30.0

_BETWEEN = ","
_BEHIND_HOST = "|"


def make_pool(backend: httpcore.AsyncNetworkBackend) -> httpcore.AsyncConnectionPool:
    """Return what keeps the connections; it takes the time to read the certificates of all authorities."""
    return httpcore.AsyncConnectionPool(
        ssl_context=_tls(),
        max_connections=MOST_CONNECTIONS,
        max_keepalive_connections=MOST_KEPT,
        keepalive_expiry=KEPT_SECONDS,
        network_backend=RoutedBackend(backend),
    )


def key_of(route: Route) -> str:
    """Return how the pool calls a route's host: with its addresses.

    A connection that was made for a name is not used once the name leads elsewhere, nor by another name
    with the same address: the certificate was another's.
    """
    return f"{route.host}{_BEHIND_HOST}{_BETWEEN.join(route.addresses)}"


class RoutedBackend(httpcore.AsyncNetworkBackend):
    """Connects to the addresses that stand in the host as the pool calls it, one after the other."""

    def __init__(self, backend: httpcore.AsyncNetworkBackend) -> None:
        self._backend = backend

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> ObservedStream:
        """Connect to the first address that answers; the last one has all the time that is left."""
        *first, last = host.partition(_BEHIND_HOST)[2].split(_BETWEEN)
        end = time.monotonic() + CONNECT_SECONDS
        for address in first:
            try:
                seconds = min(FIRST_TRIES_SECONDS, end - time.monotonic())
                return ObservedStream(await self._backend.connect_tcp(address, port, seconds))
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return ObservedStream(await self._backend.connect_tcp(last, port, end - time.monotonic()))


def _tls() -> ssl.SSLContext:
    file, directory = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if file or directory:
        return ssl.create_default_context(cafile=file, capath=directory)
    return ssl.create_default_context(cafile=certifi.where())
