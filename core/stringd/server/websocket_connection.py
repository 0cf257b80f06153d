"""One client's WebSocket: ended in order, with bounded buffers, and several texts sent at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from uvicorn import Config
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import CloseCode, Frame, Opcode

from stringd.server.client_timeouts import ClientTimeouts, Wait

_DRAIN_SECONDS = 1.0
TEXTS = "texts"
"""The key of a `websocket.send` that sends several texts, encoded already."""


class WebSocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket whose client is never waited for in vain, and which closes when the daemon has stopped.

    It gives way, as streams of events do, when the process runs out of file descriptors.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        *,
        timeouts: ClientTimeouts,
    ) -> None:
        super().__init__(config, server_state, app_state)
        self._timeouts = timeouts
        self._is_draining = False
        self._late_pong = b""

    @property
    def unread(self) -> int:
        """How many bytes the client has not read yet."""
        return self.transport.get_write_buffer_size()

    def time_out(self, wait: Wait) -> None:
        """Do nothing: an open WebSocket has no deadline."""

    def make_room(self) -> None:
        """Close to free resources for others."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start to give way to others."""
        super().connection_made(transport)
        self._timeouts.expect(self, Wait.EVENTS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop giving way to others."""
        super().connection_lost(exc)
        self._timeouts.forget(self, Wait.EVENTS)

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived; drop what arrives after an invalid message."""
        if not self._is_draining:
            super().data_received(data)

    def handle_ping(self) -> None:
        """Answer a ping; a client that does not read gets the answer to its last one when it reads again."""
        pongs = self.conn.data_to_send()
        if self.writable.is_set():
            self.transport.write(b"".join(pongs))
        elif pongs:
            self._late_pong = pongs[-1]

    def resume_writing(self) -> None:
        """Send what waits for the client to read."""
        super().resume_writing()
        pong, self._late_pong = self._late_pong, b""
        if not self.close_sent:
            self.transport.write(pong)

    def handle_close(self, event: Frame) -> None:
        """End after the client has sent its closing frame."""
        super().handle_close(event)
        self._abort_later()

    def handle_parser_exception(self) -> None:
        """Send the closing frame, and let the client read it: more data may be on its way, and is dropped."""
        assert self.conn.close_sent is not None
        self._disconnect(self.conn.close_sent.code, self.conn.close_sent.reason)
        self._is_draining = True
        if self.transport.can_write_eof():
            self.transport.write_eof()
        else:
            # With TLS, the client learns of the end by nothing less than the end of the connection.
            self._abort_later(_DRAIN_SECONDS)

    def send_receive_event_to_app(self) -> None:
        """Give the application a message, and read no more until it has taken it."""
        data, self.frames = b"".join(self.frames), []
        if self.close_sent:
            return
        try:
            if self.curr_msg_data_type == "text":
                self.queue.put_nowait({"type": "websocket.receive", "text": data.decode()})
            else:
                self.queue.put_nowait({"type": "websocket.receive", "bytes": data})
        except UnicodeDecodeError:
            self.conn.send_close(CloseCode.INVALID_DATA, "a text is not UTF-8")
            self.handle_parser_exception()
            return
        if not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    async def send(self, message: Any) -> None:
        """Send a message of the application; a closing frame does not wait for the client to read."""
        if TEXTS in message:
            await self._send_texts(message[TEXTS])
            return
        if message["type"] == "websocket.close":
            self.writable.set()
        await super().send(message)
        if self.close_sent:
            # Also if the handshake was refused: uvicorn would log that it has not been completed.
            self.handshake_complete = True
            self._abort_later()

    def shutdown(self) -> None:
        """Leave it to the application to close an open WebSocket; `go_away` is called in the end."""
        if not self.handshake_complete:
            super().shutdown()

    def go_away(self) -> None:
        """Close, because the daemon has stopped."""
        if self.handshake_complete and not self.close_sent and not self.transport.is_closing():
            self.conn.send_close(CloseCode.GOING_AWAY)
            self._disconnect(CloseCode.GOING_AWAY, "")

    async def _send_texts(self, texts: Sequence[bytes]) -> None:
        await self.writable.wait()
        if self.disconnected or self.close_sent or self.transport.is_closing():
            raise ClientDisconnected
        frames = [Frame(Opcode.TEXT, text).serialize(mask=False) for text in texts]
        self.transport.write(b"".join(frames))

    def _disconnect(self, code: int, reason: str) -> None:
        """Write the closing frame, and tell the application."""
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self._resume_reading()
        self._abort_later()

    def _resume_reading(self) -> None:
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()

    def _abort_later(self, seconds: float | None = None) -> None:
        """Give the client time to read what was sent, and to close its end."""
        if self.close_timer is not None:
            self.close_timer.cancel()
        if not self.disconnected:
            self.close_timer = self.loop.call_later(
                seconds or self._timeouts.limits.seconds[Wait.READ], self.transport.abort
            )
