"""The daemon's HTTP client: keeps connections alive, no cookies; redirects are left to the caller."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

import httpcore

from stringd.api.http import BodySink, HttpRequest, HttpResponse, HttpRoute, OnProgress
from stringd.api.zones import Zone, ZoneLimit
from stringd.errors import HttpFailed
from stringd.http_client.address_policy import AddressPolicy
from stringd.http_client.failures import body_failure_reason, failure_reason
from stringd.http_client.httpcore_messages import build_wire_request, read_response
from stringd.http_client.name_lookup import LookUp, NameLookup, look_up_with_system
from stringd.http_client.network_connections import NetworkConnections, has_ended
from stringd.http_client.routed_connections import create_pool
from stringd.text.web_urls import WebUrl

MAX_PER_ORIGIN = 64
_IDEMPOTENT = frozenset({"GET", "HEAD"})
_STALE_CONNECTION_ERRORS = (httpcore.RemoteProtocolError, httpcore.ReadError, httpcore.WriteError)


class SharedHttpClient:
    """One client for all topics; it never connects to the daemon's `own_ports` on this machine."""

    def __init__(
        self,
        *own_ports: int,
        limit: ZoneLimit | None = None,
        look_up: LookUp = look_up_with_system,
        backend: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._policy = AddressPolicy(own_ports, NameLookup(look_up), limit)
        self._backend = backend or NetworkConnections()
        self._pool: asyncio.Task[httpcore.AsyncConnectionPool] | None = None
        self._slots: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def exchange(
        self,
        request: HttpRequest,
        *,
        limit: int,
        on_progress: OnProgress | None = None,
        sink: BodySink | None = None,
    ) -> HttpResponse:
        """Send a request and read the response; see `HttpClient.exchange`."""
        url = _read_origin(request.origin)
        origin = url.origin
        route = await self._policy.route(
            url.host, url.port, nearest_zone=request.nearest_zone, own=request.own
        )
        async with self._origin_slots(origin):
            try:
                response = await self._send(build_wire_request(request, url, route, on_progress))
                try:
                    return await read_response(
                        response, limit, zone=route.zone, on_progress=on_progress, sink=sink
                    )
                except httpcore.RemoteProtocolError as error:
                    raise HttpFailed(body_failure_reason(error, ended=has_ended(response))) from error
                finally:
                    await response.aclose()
            except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
                raise HttpFailed(failure_reason(error)) from error

    async def route(self, host: str, port: int, *, nearest_zone: Zone) -> HttpRoute:
        """Resolve a host; see `HttpClient.route`."""
        return await self._policy.route(host, port, nearest_zone=nearest_zone)

    async def aclose(self) -> None:
        """Close all connections."""
        if self._pool:
            await (await self._pool).aclose()

    async def _send(self, request: httpcore.Request) -> httpcore.Response:
        pool = await self._ready_pool()
        while True:
            trace = _ConnectionTrace()
            request.extensions["trace"] = trace
            try:
                return await pool.handle_async_request(request)
            except _STALE_CONNECTION_ERRORS:
                # A server may close a kept-alive connection just when it is reused.
                if trace.connected or request.method.decode() not in _IDEMPOTENT:
                    raise

    async def _ready_pool(self) -> httpcore.AsyncConnectionPool:
        if self._pool is None:
            self._pool = asyncio.create_task(asyncio.to_thread(create_pool, self._backend))
        try:
            return await asyncio.shield(self._pool)
        except OSError as error:
            self._pool = None
            raise HttpFailed(f"TLS: the certificates of authorities can't be read ({error})") from error

    def _origin_slots(self, origin: str) -> asyncio.Semaphore:
        """Return the semaphore of an origin, so that a slow one can't take all connections."""
        slots = self._slots.get(origin)
        if slots is None:
            slots = self._slots[origin] = asyncio.Semaphore(MAX_PER_ORIGIN)
        return slots


def _read_origin(origin: str) -> WebUrl:
    try:
        return WebUrl.read(origin)
    except ValueError as error:
        raise HttpFailed(str(error)) from error


class _ConnectionTrace:
    """A httpcore trace that records whether a new connection was opened for a request."""

    def __init__(self) -> None:
        self.connected = False

    async def __call__(self, event: str, _: object) -> None:
        if event == "connection.connect_tcp.started":
            self.connected = True
