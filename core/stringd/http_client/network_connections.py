"""Network connections for httpcore, on asyncio's transports.

Data is read as it arrives. httpcore's own connections stop reading after each piece and give way to other
tasks around each call, which costs as much as all the rest of a short exchange.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import ssl
from collections.abc import Iterable, Iterator
from typing import Any, cast

import httpcore

_MOST_UNREAD = 256 * 1024


class NetworkConnections(httpcore.AsyncNetworkBackend):
    """Opens connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to an address."""
        loop = asyncio.get_running_loop()
        with _raising(httpcore.ConnectError, httpcore.ConnectTimeout):
            async with asyncio.timeout(timeout):
                _, channel = await loop.create_connection(_Channel, host, port)
        return NetworkConnection(channel)


class NetworkConnection(httpcore.AsyncNetworkStream):
    """A connection that remembers the end of its input, which the parser reports only in prose."""

    def __init__(self, channel: _Channel) -> None:
        self._channel = channel
        self.ended = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Read some bytes; none once the peer has closed."""
        with _raising(httpcore.ReadError, httpcore.ReadTimeout):
            async with asyncio.timeout(timeout):
                data = await self._channel.read(max_bytes)
        self.ended = not data
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Write all bytes."""
        if not buffer:
            return
        with _raising(httpcore.WriteError, httpcore.WriteTimeout):
            async with asyncio.timeout(timeout):
                await self._channel.write(buffer)

    async def aclose(self) -> None:
        """Close the connection at once."""
        self._channel.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> NetworkConnection:
        """Return the connection with TLS above it."""
        try:
            with _raising(httpcore.ConnectError, httpcore.ConnectTimeout):
                async with asyncio.timeout(timeout):
                    await self._channel.start_tls(ssl_context, server_hostname)
        except BaseException:
            # httpcore forgets a connection whose TLS fails, and asyncio does not close it in all cases.
            self._channel.abort()
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore asks for: whether there is unexpected input, and the state of TLS."""
        if info == "is_readable":
            return self._channel.has_input
        return self._channel.tls if info == "ssl_object" else None


def has_ended(response: httpcore.Response) -> bool:
    """Whether the peer has closed the connection of a response."""
    stream = response.extensions.get("network_stream")
    return isinstance(stream, NetworkConnection) and stream.ended


class _Channel(asyncio.Protocol):
    """What has arrived on a connection, and whether it can be written to."""

    _socket: asyncio.Transport
    """The transport below TLS, or without it, the same."""
    _transport: asyncio.Transport

    def __init__(self) -> None:
        self._unread = bytearray()
        self._has_ended = False
        self._error: Exception | None = None
        self._has_changed = asyncio.Event()
        self._is_writable = asyncio.Event()
        self._is_writable.set()

    @property
    def has_input(self) -> bool:
        """Whether reading would not wait: something has arrived, or the end."""
        return self._has_ended or bool(self._unread)

    @property
    def tls(self) -> ssl.SSLObject | None:
        """The state of TLS, if there is any."""
        found: ssl.SSLObject | None = self._transport.get_extra_info("ssl_object")
        return found

    async def read(self, most: int) -> bytes:
        """Return what has arrived, or wait for it; nothing at the end."""
        while not self.has_input:
            self._has_changed.clear()
            self._socket.resume_reading()
            await self._has_changed.wait()
        if self._error and not self._unread:
            raise self._error
        data = bytes(self._unread[:most])
        del self._unread[:most]
        return data

    async def write(self, data: bytes) -> None:
        """Hand all data to the system."""
        self._require_open()
        self._transport.write(data)
        await self._is_writable.wait()
        self._require_open()

    async def start_tls(self, context: ssl.SSLContext, host: str | None) -> None:
        """Negotiate TLS, through which everything passes from now on."""
        if self._unread:
            # A server with TLS does not speak first; OpenSSL says the same of what arrives a moment later.
            raise httpcore.ConnectError("TLS: wrong version number")
        self._require_open()
        loop = asyncio.get_running_loop()
        try:
            transport = await loop.start_tls(self._transport, self, context, server_hostname=host)
        except ConnectionError as error:
            # Only the errors of the system have numbers; asyncio's own is that the peer closed.
            if error.errno is not None:
                raise
            raise httpcore.ConnectError("TLS: the connection was closed") from error
        if transport is None:
            raise _lost()
        self._transport = transport

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        # The transports of uvloop are no subclasses.
        self._socket = self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Keep data until they are read."""
        self._unread += data
        self._has_changed.set()
        if len(self._unread) > _MOST_UNREAD:
            # Where TLS is paused itself, it loses what it holds when the connection ends.
            self._socket.pause_reading()

    def eof_received(self) -> bool:
        """Note the end; only without TLS, the other direction can stay open."""
        self._has_ended = True
        self._has_changed.set()
        return self.tls is None

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake whoever waits."""
        self._error, self._has_ended = exc, True
        self._has_changed.set()
        self._is_writable.set()

    def pause_writing(self) -> None:
        """Have writers wait."""
        self._is_writable.clear()

    def resume_writing(self) -> None:
        """Let writers continue."""
        self._is_writable.set()

    def _require_open(self) -> None:
        if self._transport.is_closing():
            raise self._error or _lost()


def _lost() -> OSError:
    return ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))


@contextlib.contextmanager
def _raising(error: type[Exception], timeout: type[Exception]) -> Iterator[None]:
    """Raise what httpcore expects for what asyncio raises."""
    try:
        yield
    except TimeoutError as cause:
        raise timeout(cause) from cause
    except OSError as cause:
        raise error(cause) from cause
