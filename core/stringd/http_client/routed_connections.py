"""The connection pool, keyed by host and resolved addresses."""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Iterable

import certifi
import httpcore

from stringd.http_client.address_policy import Route

CONNECT_SECONDS = 10.0
FIRST_ATTEMPTS_SECONDS = 2.5
MAX_CONNECTIONS = 256
MAX_KEPT_ALIVE = 64
KEEP_ALIVE_SECONDS = 30.0

_ADDRESS_SEPARATOR = ","
_HOST_SEPARATOR = "|"


def create_pool(backend: httpcore.AsyncNetworkBackend) -> httpcore.AsyncConnectionPool:
    """Create the connection pool; slow, as it reads all CA certificates."""
    return httpcore.AsyncConnectionPool(
        ssl_context=_tls_context(),
        max_connections=MAX_CONNECTIONS,
        max_keepalive_connections=MAX_KEPT_ALIVE,
        keepalive_expiry=KEEP_ALIVE_SECONDS,
        network_backend=RoutedBackend(backend),
    )


def pool_host(route: Route) -> str:
    """Return the host name under which the pool keeps a route's connections: host and addresses.

    So a connection is reused neither after the host resolves to other addresses, nor for another host at the
    same address, whose certificate was never checked.
    """
    return f"{route.host}{_HOST_SEPARATOR}{_ADDRESS_SEPARATOR.join(route.addresses)}"


class RoutedBackend(httpcore.AsyncNetworkBackend):
    """Connects to the addresses encoded in the pool's host name, one after the other."""

    def __init__(self, backend: httpcore.AsyncNetworkBackend) -> None:
        self._backend = backend

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that accepts; the last one gets all remaining time."""
        *first, last = host.partition(_HOST_SEPARATOR)[2].split(_ADDRESS_SEPARATOR)
        end = time.monotonic() + CONNECT_SECONDS
        for address in first:
            try:
                seconds = min(FIRST_ATTEMPTS_SECONDS, end - time.monotonic())
                return await self._backend.connect_tcp(address, port, seconds)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._backend.connect_tcp(last, port, end - time.monotonic())


def _tls_context() -> ssl.SSLContext:
    file, directory = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if file or directory:
        return ssl.create_default_context(cafile=file, capath=directory)
    return ssl.create_default_context(cafile=certifi.where())
