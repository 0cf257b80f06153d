"""One HTTP exchange, as the daemon makes it for its topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """What is sent to an origin, such as `https://host:8443`; names of headers are in lower case.

    `target` is sent as it is. `address`, where it is given, is connected to in place of the host's own.
    """

    method: str
    origin: str
    target: str
    headers: Mapping[str, str]
    body: bytes | None = None
    address: str | None = None

    @property
    def url(self) -> str:
        """The whole URL."""
        return self.origin + self.target


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What came back: the body decompressed, and the charset that the answer names."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    charset: str | None


class HttpClient(Protocol):
    """Makes single exchanges: it follows no redirect and keeps no cookie."""

    async def exchange(self, request: HttpRequest, *, limit: int) -> HttpResponse:
        """Send a request and read the answer up to a limit; refuse with `ACTION_FAILED` if there is none."""

    async def aclose(self) -> None:
        """Close what connections are left."""
