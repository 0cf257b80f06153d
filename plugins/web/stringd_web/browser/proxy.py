"""A page's only network access: an HTTP proxy that enforces the page's network policy."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Coroutine, Iterable
from functools import partial
from urllib.parse import SplitResultBytes, urlsplit

import h11

from stringd.plugin import HttpFailed, Refusal
from stringd_web.browser.http_peer import CHUNK, HttpPeer
from stringd_web.browser.network_policy import NetworkPolicy

_DEFAULT_PORT = 80
_ACCEPT_AGAIN_SECONDS = 0.1
_HOP_BY_HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-authorization", b"proxy-connection", b"te", b"trailer"}
    | {b"transfer-encoding", b"upgrade"}
)


class Proxy:
    """The proxy of one page; closing it closes all of the page's connections."""

    def __init__(self, policy: NetworkPolicy) -> None:
        self._policy = policy
        self._connections: set[asyncio.Task[None]] = set()
        self._listener: socket.socket | None = None

    def serve(self, listener: socket.socket) -> str:
        """Start serving and return the proxy's URL; the listener is closed with the proxy."""
        listener.setblocking(False)
        self._listener = listener
        self._accept_when_ready()
        host, port = listener.getsockname()
        return f"http://{host}:{port}"

    async def close(self) -> None:
        """Stop serving and close all connections."""
        if self._listener:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
            self._listener = None
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept_when_ready(self) -> None:
        if self._listener:
            asyncio.get_running_loop().add_reader(self._listener, self._accept, self._listener)

    def _accept(self, listener: socket.socket) -> None:
        """Accept a connection, which belongs to a task of the proxy's from that moment.

        Neither `asyncio.start_server` nor `sock_accept` closes what it has accepted when it is closed at the
        same time.
        """
        loop = asyncio.get_running_loop()
        try:
            connection, _ = listener.accept()
        except BlockingIOError:
            return
        except OSError:
            loop.remove_reader(listener)
            loop.call_later(_ACCEPT_AGAIN_SECONDS, self._accept_when_ready)
            return
        task = loop.create_task(self._serve_connection(connection))
        self._connections.add(task)
        task.add_done_callback(partial(self._finished, connection))

    def _finished(self, connection: socket.socket, task: asyncio.Task[None]) -> None:
        self._connections.discard(task)
        if task.cancelled():
            connection.close()

    async def _serve_connection(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=connection)
        try:
            await self._serve(HttpPeer(h11.SERVER, reader, writer))
        except (OSError, h11.ProtocolError, asyncio.CancelledError):
            # Closing the proxy cancels; the result is not awaited.
            return
        finally:
            writer.close()

    async def _serve(self, page: HttpPeer) -> None:
        while isinstance(request := await page.receive(), h11.Request):
            try:
                await self._answer(page, request)
            except (Refusal, HttpFailed, OSError, ValueError, h11.ProtocolError):
                # A response that has begun can only be aborted: the browser sees the connection break.
                await page.refuse()
                return
            if not page.start_next_exchange():
                return

    async def _answer(self, page: HttpPeer, request: h11.Request) -> None:
        if request.method == b"CONNECT":
            await self._tunnel(page, urlsplit(b"//" + request.target))
        else:
            await self._forward(page, request, urlsplit(request.target))

    async def _tunnel(self, page: HttpPeer, target: SplitResultBytes) -> None:
        host, port = _origin(target)
        reader, writer = await self._policy.connect(host, port)
        with contextlib.closing(writer):
            await page.receive()
            await page.send(h11.Response(status_code=200, headers=[]))
            writer.write(page.trailing_data())
            await _run_until_first_ends(self._pump(page.reader, writer), self._pump(reader, page.writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(CHUNK):
            self._policy.count_bytes(len(chunk))
            writer.write(chunk)
            await writer.drain()

    async def _forward(self, page: HttpPeer, request: h11.Request, target: SplitResultBytes) -> None:
        if target.scheme != b"http":
            raise ValueError(target.scheme)
        server = HttpPeer(h11.CLIENT, *await self._policy.connect(*_origin(target)))
        with contextlib.closing(server.writer):
            await server.send(_request_to_server(request, target))
            await self._copy(page, server)
            response = await server.receive()
            while isinstance(response, h11.InformationalResponse):
                response = await server.receive()
            if not isinstance(response, h11.Response):
                raise ConnectionAbortedError
            await page.send(_response_to_page(response))
            await self._copy(server, page)

    async def _copy(self, origin: HttpPeer, to: HttpPeer) -> None:
        """Forward a whole body."""
        while isinstance(event := await origin.receive(), h11.Data):
            self._policy.count_bytes(len(event.data))
            await to.send(event)
        await to.send(h11.EndOfMessage())


async def _run_until_first_ends(*pumps: Coroutine[None, None, None]) -> None:
    tasks = [asyncio.create_task(pump) for pump in pumps]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _origin(target: SplitResultBytes) -> tuple[str, int]:
    host = (target.hostname or b"").decode("ascii")
    if not host:
        raise ValueError(target)
    return host, target.port or _DEFAULT_PORT


def _request_to_server(request: h11.Request, target: SplitResultBytes) -> h11.Request:
    path = (target.path or b"/") + (b"?" + target.query if target.query else b"")
    headers = [*_end_to_end(request.headers), (b"connection", b"close")]
    return h11.Request(method=request.method, target=path, headers=headers)


def _response_to_page(response: h11.Response) -> h11.Response:
    headers = _end_to_end(response.headers)
    return h11.Response(status_code=response.status_code, headers=headers, reason=response.reason)


def _end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in headers if name not in _HOP_BY_HOP]
