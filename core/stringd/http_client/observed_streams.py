"""Network streams that record whether the peer has closed them."""

from __future__ import annotations

import ssl
from typing import Any

import httpcore


class ObservedStream(httpcore.AsyncNetworkStream):
    """A stream that remembers the end of its input, which the parser reports only in prose."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self.ended = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Read some bytes; none once the peer has closed."""
        data = await self._stream.read(max_bytes, timeout)
        self.ended = not data
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Write all bytes."""
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> ObservedStream:
        """Return the stream with TLS above it."""
        return ObservedStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """Return what the stream knows of its socket."""
        return self._stream.get_extra_info(info)


def has_ended(response: httpcore.Response) -> bool:
    """Whether the peer has closed the connection of a response."""
    stream = response.extensions.get("network_stream")
    return isinstance(stream, ObservedStream) and stream.ended
