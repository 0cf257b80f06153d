"""The daemon's HTTP client: connections are kept, cookies are not, redirects are left to the caller."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

import httpcore

from stringd.api.http import HttpRequest, HttpResponse, HttpRoute
from stringd.api.zones import Zone
from stringd.errors import HttpFailed
from stringd.http_client.failures import body_failure_reason, failure_reason
from stringd.http_client.messages import made_request, read_response
from stringd.http_client.name_lookup import LookUp, Lookups, ask_the_system
from stringd.http_client.network_policy import Networks
from stringd.http_client.observed_streams import has_ended
from stringd.http_client.routed_connections import make_pool
from stringd.text.web_urls import WebUrl

MOST_PER_ORIGIN = 64
_REPEATABLE = frozenset({"GET", "HEAD"})
_OF_A_KEPT_CONNECTION = (httpcore.RemoteProtocolError, httpcore.ReadError, httpcore.WriteError)


class SharedHttpClient:
    """One client for all topics; `own_port` is the daemon's, which it never asks."""

    def __init__(
        self,
        own_port: int,
        *,
        look_up: LookUp = ask_the_system,
        backend: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._networks = Networks(own_port, Lookups(look_up))
        self._backend = backend or httpcore.AnyIOBackend()
        self._pool: asyncio.Task[httpcore.AsyncConnectionPool] | None = None
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def exchange(self, request: HttpRequest, *, limit: int) -> HttpResponse:
        """Send a request and read the answer; see `HttpClient.exchange`."""
        url = _read(request.origin)
        route = await self._networks.route(url.host, url.port, reach=request.reach)
        async with self._turn(url.origin):
            try:
                response = await self._answered(made_request(request, url, route))
                try:
                    return await read_response(response, limit, zone=route.zone)
                except httpcore.RemoteProtocolError as error:
                    raise HttpFailed(body_failure_reason(error, ended=has_ended(response))) from error
                finally:
                    await response.aclose()
            except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
                raise HttpFailed(failure_reason(error)) from error

    async def route(self, host: str, port: int, *, reach: Zone) -> HttpRoute:
        """Return where to connect for a host; see `HttpClient.route`."""
        return await self._networks.route(host, port, reach=reach)

    async def aclose(self) -> None:
        """Close what connections are left."""
        if self._pool:
            await (await self._pool).aclose()

    async def _answered(self, request: httpcore.Request) -> httpcore.Response:
        pool = await self._ready_pool()
        while True:
            watch = _Watch()
            request.extensions["trace"] = watch
            try:
                return await pool.handle_async_request(request)
            except _OF_A_KEPT_CONNECTION:
                # A server may close a connection that was kept just when it is used again.
                if watch.connected or request.method.decode() not in _REPEATABLE:
                    raise

    async def _ready_pool(self) -> httpcore.AsyncConnectionPool:
        if self._pool is None:
            self._pool = asyncio.create_task(asyncio.to_thread(make_pool, self._backend))
        try:
            return await asyncio.shield(self._pool)
        except OSError as error:
            self._pool = None
            raise HttpFailed(f"TLS: the certificates of authorities can't be read ({error})") from error

    def _turn(self, origin: str) -> asyncio.Semaphore:
        """Return what bounds the connections to an origin: one that is slow leaves some for the others."""
        turn = self._turns.get(origin)
        if turn is None:
            turn = self._turns[origin] = asyncio.Semaphore(MOST_PER_ORIGIN)
        return turn


def _read(origin: str) -> WebUrl:
    try:
        return WebUrl.read(origin)
    except ValueError as error:
        raise HttpFailed(str(error)) from error


class _Watch:
    """Is told what happens to a request, and keeps whether a connection was made for it."""

    def __init__(self) -> None:
        self.connected = False

    async def __call__(self, event: str, _: object) -> None:
        if event == "connection.connect_tcp.started":
            self.connected = True
