"""One client's connection: its requests are handled in order, its messages written by one task."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from stringd.plugin import Disconnected
from stringd_runs.messages.client_messages import ClientMessage
from stringd_runs.messages.daemon_replies import ErrorReply, Reply, RunErrorCode
from stringd_runs.messages.message_decoder import MessageRefused, decode_message
from stringd_runs.messages.message_encoder import encode_message
from stringd_runs.running.run_refused import RunRefused
from stringd_runs.serving.request_queue import MOST_OUTSTANDING, RequestQueue, TooManyRequests
from stringd_runs.serving.run_outbox import RunOutbox
from stringd_runs.serving.run_requests import Client, handle, handle_any, takes_time
from stringd_runs.serving.text_socket import CloseCode, TextSocket

log = logging.getLogger(__name__)

_FAILED = "The request failed unexpectedly; the daemon's log says why."
_TOO_MANY = f"More than {MOST_OUTSTANDING} requests of this connection wait; wait for their replies."


class RunConnection:
    """Serves one WebSocket until the client leaves, or the daemon closes it."""

    def __init__(
        self,
        socket: TextSocket,
        make_client: Callable[[RunOutbox, Disconnected], Client],
        *,
        is_operator: bool,
    ) -> None:
        self._socket = socket
        self._outbox = RunOutbox(
            lambda: self.close(CloseCode.TRY_AGAIN_LATER, "the client reads too slowly"),
            is_operator=is_operator,
        )
        self._has_left = asyncio.Event()
        self._client = make_client(self._outbox, self._disconnected)
        self._queue = RequestQueue()
        self._writer: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    @property
    def user_id(self) -> str:
        """Whose connection it is."""
        return self._client.user_id

    async def serve(self) -> None:
        """Answer requests until the connection ends.

        Those that are being handled then are finished, but an approval is no longer waited for.
        """
        await self._socket.accept()
        self._writer = asyncio.create_task(self._write())
        try:
            await self._read()
        finally:
            self._has_left.set()
            self._outbox.discard()
            self._writer.cancel()
            if self._closing:
                await asyncio.wait((self._closing,))
            self._client.runs.forget_subscriber(self._outbox)
            await self._queue.finished()
            self._client.runs.forget_subscriber(self._outbox)

    def close(self, code: CloseCode, reason: str) -> None:
        """Close the connection without sending what waits."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(code, reason))

    async def finish(self, seconds: float) -> None:
        """Send the queued messages that the client reads within some seconds: the daemon stops."""
        self._outbox.end()
        if self._writer:
            await asyncio.wait((self._writer,), timeout=seconds)
        self.close(CloseCode.GOING_AWAY, "the daemon stops")
        if self._closing:
            await asyncio.wait((self._closing,))

    async def _disconnected(self) -> None:
        await self._has_left.wait()

    async def _close(self, code: CloseCode, reason: str) -> None:
        if self._writer:
            self._writer.cancel()
            await asyncio.wait((self._writer,))
        with suppress(OSError):
            await self._socket.close(code, reason)

    async def _write(self) -> None:
        with suppress(OSError):
            while batch := await self._outbox.next_batch():
                await self._socket.send(batch)

    async def _read(self) -> None:
        while True:
            try:
                frame = await self._socket.receive()
            except UnicodeDecodeError:
                self.close(CloseCode.NOT_UTF_8, "a message is not UTF-8")
                return
            if frame is None:
                return
            self._take(frame)
            # Many requests may have arrived together: their replies are sent meanwhile, and others served.
            await asyncio.sleep(0)

    def _take(self, frame: str) -> None:
        try:
            message = decode_message(frame)
        except MessageRefused as refused:
            self._reply(ErrorReply(code=refused.code, message=str(refused)), refused.request_id)
            return
        run_id = getattr(message, "run_id", None)
        if self._queue.is_waiting(run_id) or takes_time(self._client, message):
            self._handle_beside(message, run_id)
        else:
            self._handle(message)

    def _handle(self, message: ClientMessage) -> None:
        try:
            reply = handle(self._client, message)
        except Exception as error:
            reply = self._failure(error)
        self._reply(reply, message.request_id)

    def _handle_beside(self, message: ClientMessage, run_id: str | None) -> None:
        try:
            self._queue.add(run_id, lambda: self._handle_in_time(message))
        except TooManyRequests:
            self._reply(ErrorReply(code=RunErrorCode.INTERNAL_ERROR, message=_TOO_MANY), message.request_id)

    async def _handle_in_time(self, message: ClientMessage) -> None:
        try:
            reply = await handle_any(self._client, message)
        except (Exception, SystemExit) as error:
            reply = self._failure(error)
        self._reply(reply, message.request_id)

    @staticmethod
    def _failure(error: BaseException) -> ErrorReply:
        if isinstance(error, RunRefused):
            return ErrorReply(code=error.code, message=error.message)
        log.error("a request failed", exc_info=error)
        return ErrorReply(code=RunErrorCode.INTERNAL_ERROR, message=_FAILED)

    def _reply(self, reply: Reply | None, request_id: str | None) -> None:
        if reply is not None:
            self._outbox.put(encode_message(reply, request_id=request_id))
