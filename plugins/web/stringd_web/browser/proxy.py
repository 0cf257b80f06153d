"""The only way out for a page: an HTTP proxy of its own, which keeps to the page's border."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Coroutine, Iterable
from urllib.parse import SplitResultBytes, urlsplit

import h11

from stringd.plugin import HttpFailed, Refusal
from stringd_web.browser.http_peer import PIECE, HttpPeer
from stringd_web.browser.network_policy import NetworkPolicy

_DEFAULT_PORT = 80
_OF_ONE_CONNECTION = frozenset(
    {b"connection", b"keep-alive", b"proxy-authorization", b"proxy-connection", b"te", b"trailer"}
    | {b"transfer-encoding", b"upgrade"}
)


class Proxy:
    """Serves one page; when it closes, nothing of the page has a connection any more."""

    def __init__(self, border: NetworkPolicy) -> None:
        self._border = border
        self._open: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def serve(self, listener: socket.socket) -> str:
        """Begin to serve, and return where the browser finds it."""
        self._server = await asyncio.start_server(self._accept, sock=listener)
        host, port = listener.getsockname()
        return f"http://{host}:{port}"

    async def close(self) -> None:
        """End all connections."""
        if self._server:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._open.add(task)
        try:
            await self._serve(HttpPeer(h11.SERVER, reader, writer))
        except (OSError, h11.ProtocolError, asyncio.CancelledError):
            # Cancelled is what closing does, and there is nobody to tell.
            return
        finally:
            self._open.discard(task)
            writer.close()

    async def _serve(self, page: HttpPeer) -> None:
        while isinstance(request := await page.receive(), h11.Request):
            try:
                await self._answer(page, request)
            except (Refusal, HttpFailed, OSError, ValueError, h11.ProtocolError):
                # What has begun can't be taken back: the browser sees that the connection breaks.
                await page.refuse()
                return
            if not page.next_exchange():
                return

    async def _answer(self, page: HttpPeer, request: h11.Request) -> None:
        if request.method == b"CONNECT":
            await self._tunnel(page, urlsplit(b"//" + request.target))
        else:
            await self._forward(page, request, urlsplit(request.target))

    async def _tunnel(self, page: HttpPeer, target: SplitResultBytes) -> None:
        host, port = _origin(target)
        reader, writer = await self._border.connect(host, port)
        with contextlib.closing(writer):
            await page.receive()
            await page.send(h11.Response(status_code=200, headers=[]))
            writer.write(page.switched())
            await _first_to_end(self._pump(page.reader, writer), self._pump(reader, page.writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(PIECE):
            self._border.spend(len(piece))
            writer.write(piece)
            await writer.drain()

    async def _forward(self, page: HttpPeer, request: h11.Request, target: SplitResultBytes) -> None:
        if target.scheme != b"http":
            raise ValueError(target.scheme)
        server = HttpPeer(h11.CLIENT, *await self._border.connect(*_origin(target)))
        with contextlib.closing(server.writer):
            await server.send(_as_sent(request, target))
            await self._copy(page, server)
            response = await server.receive()
            while isinstance(response, h11.InformationalResponse):
                response = await server.receive()
            if not isinstance(response, h11.Response):
                raise ConnectionAbortedError
            await page.send(_as_received(response))
            await self._copy(server, page)

    async def _copy(self, origin: HttpPeer, to: HttpPeer) -> None:
        """Pass a body on, to its end."""
        while isinstance(event := await origin.receive(), h11.Data):
            self._border.spend(len(event.data))
            await to.send(event)
        await to.send(h11.EndOfMessage())


async def _first_to_end(*ways: Coroutine[None, None, None]) -> None:
    tasks = [asyncio.create_task(way) for way in ways]
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


def _as_sent(request: h11.Request, target: SplitResultBytes) -> h11.Request:
    path = (target.path or b"/") + (b"?" + target.query if target.query else b"")
    headers = [*_of_the_message(request.headers), (b"connection", b"close")]
    return h11.Request(method=request.method, target=path, headers=headers)


def _as_received(response: h11.Response) -> h11.Response:
    headers = _of_the_message(response.headers)
    return h11.Response(status_code=response.status_code, headers=headers, reason=response.reason)


def _of_the_message(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in headers if name not in _OF_ONE_CONNECTION]
