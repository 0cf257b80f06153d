"""One client's connection: what it sends has deadlines, what is no HTTP is answered as everything else is."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from stringd.server.client_timeouts import ClientTimeouts, Wait
from stringd.server.request_guard import CORS_HEADERS

HEAD_LIMIT = 256 * 1024
# A client that has taken less when its time is over is one that doesn't read.
LEAST_READ = 16 * 1024
_TOO_LONG = b"431 Request Header Fields Too Large"
_BAD = b"400 Bad Request"
_TIMEOUT = b"408 Request Timeout"
_BUSY = b"503 Service Unavailable"
_WHAT = {Wait.HEAD: "head", Wait.BODY: "body"}


class Connection(HttpToolsProtocol):
    """Knows at each moment whether it waits for the client, and for what."""

    def __init__(
        self, config: Config, server_state: ServerState, app_state: dict[str, Any], patience: ClientTimeouts
    ) -> None:
        super().__init__(config, server_state, app_state)
        self._patience = patience
        self._wait: Wait | None = None
        self._in_head = self._in_body = self._is_websocket = False
        self._head_size = self._kept = self._unread_before = 0

    @property
    def unread(self) -> int:
        """How many bytes of an answer the client has not taken yet."""
        return self.transport.get_write_buffer_size()

    def time_out(self, wait: Wait) -> None:
        """End a wait that has lasted too long, or begin it anew where the client is not to blame."""
        if self._is_excused(wait):
            self._patience.expect(self, wait)
        else:
            what, seconds = _WHAT.get(wait), self._patience.limits.seconds[wait]
            self._give_up(_TIMEOUT, f"The request's {what} did not arrive within {seconds:g} s")

    def make_room(self) -> None:
        """End because others need what this connection holds."""
        self._give_up(_BUSY, "Too many clients; whoever kept the daemon waiting longest made room")

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a first request."""
        super().connection_made(transport)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        super().connection_lost(exc)
        self._stop_waiting()
        self._let_go()

    def data_received(self, data: bytes) -> None:
        """Take what has come, unless this has ended already."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._head_size += len(data)
        if self._in_head and self._head_size > HEAD_LIMIT:
            self._refuse(_TOO_LONG, f"Request head exceeds {HEAD_LIMIT} bytes")
        self._look()

    def handle_websocket_upgrade(self) -> None:
        """Leave the connection to another protocol, which has time limits of its own once it has begun."""
        self._is_websocket = True
        super().handle_websocket_upgrade()
        # It drops what it takes for no handshake, one with a body, say, and would wait for ever.
        if not getattr(self.transport.get_protocol(), "handshake_initiated", False):
            self._refuse(_BAD, "This is no handshake of a WebSocket")

    def on_message_begin(self) -> None:
        """Begin a head, which has its own time."""
        self._stop_waiting()
        self._in_head, self._head_size = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """End the head."""
        self._in_head, self._in_body = False, True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Keep a piece of a body, if there is room."""
        super().on_body(body)
        if self.cycle and not self.cycle.response_complete:
            self._kept += len(body)
            if not self._patience.note_received(len(body)):
                self._give_up(_BUSY, "Too much is being sent to the daemon at once")

    def on_message_complete(self) -> None:
        """End the body."""
        self._in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the client to read."""
        self._let_go()
        super().on_response_complete()
        # There is a deadline for the next request already, which stray bytes don't take away.
        self._unset_keepalive_if_required()
        self._look()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._look()
        self._patience.check_unread()

    def resume_writing(self) -> None:
        """Note that the client has read."""
        super().resume_writing()
        self._look()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self._refuse(_BAD, msg)

    def _look(self) -> None:
        wait = self._awaited()
        if wait is not self._wait:
            self._stop_waiting()
            self._wait = wait
            self._unread_before = self.unread if wait is Wait.READ else 0
            if wait:
                self._patience.expect(self, wait)

    def _awaited(self) -> Wait | None:
        if self._is_websocket:
            return None
        if self.transport.is_closing():
            # It ends when the last answer has been taken.
            return Wait.READ if self.unread else None
        if self.flow.write_paused:
            return Wait.READ
        if self._in_body:
            return Wait.BODY
        if self.cycle and not self.cycle.response_complete:
            return None
        return Wait.NEXT_REQUEST if self.cycle and not self._in_head else Wait.HEAD

    def _stop_waiting(self) -> None:
        if self._wait:
            self._patience.forget(self, self._wait)
            self._wait = None

    def _is_excused(self, wait: Wait) -> bool:
        if wait is Wait.BODY:
            # It is this side that does not read it, or that is still busy with an earlier request.
            return self.flow.read_paused or bool(self.pipeline)
        if wait is Wait.READ:
            taken, self._unread_before = self._unread_before - self.unread, self.unread
            return taken >= LEAST_READ
        return False

    def _give_up(self, status: bytes, reason: str) -> None:
        # At once, and not when it has closed: else all others would have to make room meanwhile.
        self._let_go()
        has_begun = (self._in_head or self._in_body) and not self.transport.is_closing()
        if not has_begun or self.flow.write_paused or (self._in_body and self._is_answered()):
            self.transport.abort()
        else:
            self._refuse(status, reason)

    def _is_answered(self) -> bool:
        return self.cycle is not None and self.cycle.response_started

    def _let_go(self) -> None:
        self._patience.received -= self._kept
        self._kept = 0

    def _refuse(self, status: bytes, msg: str) -> None:
        body = json.dumps({"error": msg}).encode()
        headers = [
            *self.server_state.default_headers,
            *CORS_HEADERS,
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        lines = [b"HTTP/1.1 " + status, *(b": ".join(header) for header in headers), b"", body]
        self.transport.write(b"\r\n".join(lines))
        if self.cycle:
            # Whoever still waits for the rest of the request learns that there will be none.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
        self._look()
