"""Requests, responses and the client interface of the daemon's outgoing HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeAlias

from stringd.api.zones import Zone
from stringd.frozen_record import FrozenRecord

RESPONSE_LIMIT = 10 * 1024 * 1024
"""The most bytes of a body from the network, decompressed, that the daemon holds as a whole."""

OnProgress: TypeAlias = Callable[[str, int, int | None], None]
"""Called with `upload` or `download`, the transferred bytes of a body, and its size if known."""


WritePiece: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Takes the next piece of a body."""


class BodySink(FrozenRecord, frozen=True, kw_only=True):
    """Where the body of a successful response goes, decompressed, up to a limit of bytes.

    A body with more than `pieces` pieces must have a KiB for each one beyond that.
    """

    write: WritePiece
    limit: int
    pieces: int = 50_000


class HttpRequest(FrozenRecord, frozen=True, kw_only=True):
    """A request to an origin, such as `https://host:8443`; header names are in lower case.

    `target` is sent unchanged. `nearest_zone` is the nearest zone that the request may connect to: a URL
    given by a server, in a page or by a redirect, leads no nearer than that server is. A `Loader` may have a
    limit for all requests but those that files of the person's `own` make.
    """

    method: str
    origin: str
    target: str
    headers: Mapping[str, str]
    body: bytes | None = None
    nearest_zone: Zone = Zone.LOOPBACK
    own: bool = False

    @property
    def url(self) -> str:
        """The complete URL, origin and target."""
        return self.origin + self.target


class HttpResponse(FrozenRecord, frozen=True, kw_only=True):
    """A response with its decompressed body and the charset named by its `Content-Type`.

    `cookies` are the unparsed `Set-Cookie` headers; `zone` is the zone that the response came from.
    """

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    charset: str | None = None
    cookies: tuple[str, ...] = ()
    zone: Zone = Zone.PUBLIC


class HttpRoute(Protocol):
    """A resolved host: the addresses that requests to it connect to."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses in the order in which to try them."""

    @property
    def zone(self) -> Zone:
        """The zone of responses: the farthest zone of any of the addresses."""


class HttpClient(Protocol):
    """Makes single exchanges; it neither follows redirects nor stores cookies."""

    async def exchange(
        self,
        request: HttpRequest,
        *,
        limit: int,
        on_progress: OnProgress | None = None,
        sink: BodySink | None = None,
    ) -> HttpResponse:
        """Send a request and read the response, up to a limit of decompressed bytes.

        `on_progress` is called while the bodies are transferred, with their sizes before decompression. With
        a `sink`, the body of a response with a status of 2xx goes there, and the response has none.

        Raises `HttpFailed` if there is no usable response. Refuses hosts nearer than `nearest_zone` or the
        limit, and always the daemon itself, with `NOT_TRUSTED`.
        """

    async def route(self, host: str, port: int, *, nearest_zone: Zone) -> HttpRoute:
        """Resolve a host; raise or refuse as an exchange with it would."""

    async def aclose(self) -> None:
        """Close all connections."""
