"""A fake network: names and addresses whose servers listen on loopback."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import httpcore
import uvloop

from stringd.api.http import BodySink, HttpRequest, HttpResponse
from stringd.api.zones import ZoneLimit
from stringd.errors import HttpFailed, Refusal
from stringd.http_client.network_connections import NetworkConnections
from stringd.http_client.shared_client import SharedHttpClient
from tests.web.server import Site

LIMIT = 10 * 1024 * 1024
PUBLIC, OTHER_PUBLIC = "93.184.216.34", "151.101.1.69"


class FakeNetwork:
    """Maps names to addresses; connections to any address reach the server on loopback with that port."""

    def __init__(self) -> None:
        self.zone_limit: ZoneLimit | None = None
        self.names: dict[str, Sequence[str]] = {}
        self.asked: list[str] = []
        self.connected: list[str] = []
        self.deaf: set[str] = set()

    def look_up(self, name: str) -> Sequence[str]:
        self.asked.append(name)
        found = self.names.get(name)
        if found is None:
            raise OSError("Name or service not known")
        return found

    def client(self, own_port: int = 0) -> SharedHttpClient:
        return SharedHttpClient(own_port, limit=self.zone_limit, look_up=self.look_up, backend=_Wires(self))

    def exchange(
        self,
        *urls: str,
        own_port: int = 0,
        limit: int = LIMIT,
        sink: BodySink | None = None,
        **request: Any,
    ) -> list[HttpResponse]:
        """GET URLs one after the other with one client."""

        async def asked() -> list[HttpResponse]:
            client = self.client(own_port)
            try:
                return [await client.exchange(get(url, **request), limit=limit, sink=sink) for url in urls]
            finally:
                await client.aclose()

        return uvloop.run(asked())

    def failure(self, url: str, **request: Any) -> str:
        """Request a URL and return the reason of the failure."""
        try:
            answers = self.exchange(url, **request)
        except HttpFailed as failed:
            return str(failed)
        raise AssertionError(answers)

    def refused(self, url: str, **request: Any) -> bool:
        """Return whether a URL may not be reached; nothing was connected to then."""
        before = len(self.connected)
        try:
            self.exchange(url, **request)
        except Refusal as refusal:
            return refusal.code == "NOT_TRUSTED" and len(self.connected) == before
        except HttpFailed:
            return False
        return False


class _Wires(NetworkConnections):
    """Connects each address to loopback, and notes which it was."""

    def __init__(self, fake_network: FakeNetwork) -> None:
        self._world = fake_network

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self._world.connected.append(host)
        if host in self._world.deaf:
            raise httpcore.ConnectTimeout
        return await super().connect_tcp("127.0.0.1", port, timeout)


def get(url: str, **request: Any) -> HttpRequest:
    """The request for a URL, its target as it is written."""
    scheme, _, rest = url.partition("://")
    host, slash, target = rest.partition("/")
    fields = {"method": "GET", "headers": {}, "origin": f"{scheme}://{host}", "target": f"/{target}"}
    assert slash
    return HttpRequest(**{**fields, **request})


def named(site: Site, name: str, path: str = "/") -> str:
    """The URL of a site under another name of its machine."""
    return f"{site.scheme}://{name}:{site.port}{path}"
