"""Accept clients on the socket, and have their requests handled."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Self, TypeAlias

from stringd.plugin import Disconnected
from stringd.plugin.workers import READING
from stringd_approval.exec_request import ExecRequest
from stringd_approval.exec_result import ExecReply, Status
from stringd_approval.listening.hangup_watch import HangupWatch
from stringd_approval.listening.line_exchange import LineRefused, read_line, send_line
from stringd_approval.listening.socket_binding import listening_socket
from stringd_approval.wire.reply_line import PONG, encode_reply, error_reply, reply_pieces
from stringd_approval.wire.request_line import Ping, decode_request
from stringd_approval.wire.wire_error import WireError

log = logging.getLogger(__name__)

MOST_CONNECTIONS = 64
_CREDENTIALS = struct.Struct("3i")
_SMALL = 64 * 1024
# A client that has left is noticed at the same time as the next one that connects.
_LEAVING_SECONDS = 0.02
_OUT_OF_DESCRIPTORS_SECONDS = 0.1

Handle: TypeAlias = Callable[[ExecRequest, Disconnected], Awaitable[ExecReply]]
"""Handles a request; the second argument returns when the client has gone."""


async def listen(
    path: Path, handle: Handle, *, is_own_folder: bool, stopping: Callable[[], Awaitable[None]]
) -> None:
    """Serve clients at a path until `stopping` returns, and those that are connected then until cancelled.

    Raises `Fault` if the socket can't be there.
    """
    async with _Connections(handle) as connections:
        with listening_socket(path, is_own_folder=is_own_folder) as listener:
            accepting = asyncio.create_task(connections.accept_from(listener))
            ending = asyncio.ensure_future(stopping())
            try:
                await asyncio.wait({accepting, ending}, return_when=asyncio.FIRST_COMPLETED)
                if accepting.done():
                    accepting.result()
                ending.result()
            finally:
                accepting.cancel()
                ending.cancel()
        await asyncio.Future()


class _Connections:
    """The connected clients, each with one request and one reply."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._hangups = HangupWatch()
        self._served: set[asyncio.Task[None]] = set()
        self._refused: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._hangups.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        open_ones = self._served | self._refused
        for task in open_ones:
            task.cancel()
        if open_ones:
            await asyncio.wait(open_ones)
        self._hangups.close()

    async def accept_from(self, listener: socket.socket) -> None:
        """Accept clients until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, _ = await loop.sock_accept(listener)
            except OSError as error:
                log.warning("cannot accept a client of the approval socket: %s", error.strerror)
                await asyncio.sleep(_OUT_OF_DESCRIPTORS_SECONDS)
                continue
            try:
                await self._take(client)
            except OSError as error:
                client.close()
                log.warning("cannot serve a client of the approval socket: %s", error.strerror)
            except BaseException:
                client.close()
                raise

    async def _take(self, client: socket.socket) -> None:
        client.setblocking(False)
        if _peer_uid(client) != os.geteuid():
            client.close()
            return
        if len(self._served) >= MOST_CONNECTIONS:
            await asyncio.wait(self._served, timeout=_LEAVING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if len(self._served) < MOST_CONNECTIONS:
            _keep(self._served, self._serve(client))
        elif len(self._refused) < MOST_CONNECTIONS:
            _keep(self._refused, _refuse(client))
        else:
            client.close()

    async def _serve(self, client: socket.socket) -> None:
        with client:
            try:
                line = await read_line(client)
                if line is not None:
                    await send_line(client, await self._reply_pieces(client, line))
            except LineRefused as refused:
                await send_line(client, reply_pieces(error_reply(str(refused))))

    async def _reply_pieces(self, client: socket.socket, line: bytes) -> Iterable[bytes]:
        decode = partial(decode_request, line, now=time.time())
        try:
            request = decode() if len(line) <= _SMALL else await READING.run(decode)
        except WireError as error:
            return reply_pieces(error_reply(error.message, error.id))
        if isinstance(request, Ping):
            return reply_pieces(ExecReply(id=request.id, status=Status.OK, message=PONG))
        reply = await self._handled(client, request)
        return await _pieces_of_large(reply) if _is_large(reply) else [encode_reply(reply)]

    async def _handled(self, client: socket.socket, request: ExecRequest) -> ExecReply:
        try:
            with self._hangups.watching(client) as disconnected:
                return await self._handle(request, disconnected)
        except asyncio.CancelledError:
            with contextlib.suppress(OSError):
                client.send(encode_reply(error_reply("the daemon is shutting down", request.id)))
            raise
        except Exception:
            log.exception("a request of the approval socket failed")
            return error_reply("internal error: the log of the daemon says why", request.id)


def _keep(tasks: set[asyncio.Task[None]], coroutine: Coroutine[None, None, None]) -> None:
    task = asyncio.create_task(coroutine)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


async def _refuse(client: socket.socket) -> None:
    with client:
        busy = error_reply(f"busy: {MOST_CONNECTIONS} clients are connected")
        await send_line(client, reply_pieces(busy))


def _peer_uid(client: socket.socket) -> int:
    credentials = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    uid: int = _CREDENTIALS.unpack(credentials)[1]
    return uid


async def _pieces_of_large(reply: ExecReply) -> Iterable[bytes]:
    """Encode the errors of all stages in a thread; the output follows while it is sent."""
    pieces = reply_pieces(reply)
    return chain([await READING.run(next, pieces)], pieces)


def _is_large(reply: ExecReply) -> bool:
    result = reply.result
    return result is not None and len(result.stdout) + sum(len(it.stderr) for it in result.stages) > _SMALL
