"""One HTTP exchange, as the daemon makes it for its topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from stringd.api.zones import Zone


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """What is sent to an origin, such as `https://host:8443`; names of headers are in lower case.

    `target` is sent as it is. `reach` is the nearest zone that it may lead to: what a server has said, in a
    page or by a redirect, leads no nearer than that server is.
    """

    method: str
    origin: str
    target: str
    headers: Mapping[str, str]
    body: bytes | None = None
    reach: Zone = Zone.LOOPBACK

    @property
    def url(self) -> str:
        """The whole URL."""
        return self.origin + self.target


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What came back: the body decompressed, and the charset that the answer names.

    `cookies` are the `Set-Cookie` headers, each as it came; `zone` is the one that it comes from.
    """

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    charset: str | None = None
    cookies: tuple[str, ...] = ()
    zone: Zone = Zone.PUBLIC


class HttpRoute(Protocol):
    """Where a host leads: what may be connected to in its name, looked up once."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses, in the order in which they should be tried."""

    @property
    def zone(self) -> Zone:
        """The zone that an answer comes from: the farthest that one of them may lie in."""


class HttpClient(Protocol):
    """Makes single exchanges: it follows no redirect and keeps no cookie."""

    async def exchange(self, request: HttpRequest, *, limit: int) -> HttpResponse:
        """Send a request, and read the answer up to a limit of bytes, counted as decompressed.

        Raises `HttpFailed` where there is no such answer, and refuses with `NOT_TRUSTED` what may not be
        reached: what is nearer than its `reach`, and the daemon itself in any case.
        """

    async def route(self, host: str, port: int, *, reach: Zone) -> HttpRoute:
        """Return where to connect for a host, and raise or refuse as an exchange with it would."""

    async def aclose(self) -> None:
        """Close what connections are left."""
