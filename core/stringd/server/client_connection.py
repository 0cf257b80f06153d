"""One client's connection: deadlines for what it sends and reads, JSON answers to malformed HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from uvicorn import Config
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from stringd.server.client_timeouts import ClientTimeouts, Wait
from stringd.server.endpoints.events import EVENTS
from stringd.server.request_guard import CORS_HEADERS, WHOLE_RESPONSE, header_lines

HEAD_LIMIT = 256 * 1024
# A client that has read less than this by its deadline is considered not to read.
LEAST_READ = 16 * 1024
# Copying more would take longer than a system call.
_MOST_JOINED = 64 * 1024
_LENGTH = b"\r\ncontent-length: "
_CLOSE = b"connection: close\r\n\r\n"
_TOO_LONG = b"431 Request Header Fields Too Large"
_BAD = b"400 Bad Request"
_TIMEOUT = b"408 Request Timeout"
_BUSY = b"503 Service Unavailable"
_AWAITED = {Wait.HEAD: "head", Wait.BODY: "body"}
# The lines that all responses have change once a second, with the date.
_common_lines = lru_cache(maxsize=1)(header_lines)


class Connection(HttpToolsProtocol):
    """An HTTP connection that tracks what it awaits from its client, so that each wait can time out."""

    cors_headers: Sequence[tuple[bytes, bytes]] = CORS_HEADERS
    """What answers to malformed HTTP have, so that pages can read them."""
    extensions: Mapping[str, Any] = {}
    """The extensions of ASGI that all requests of the connection have."""

    def __init__(
        self, config: Config, server_state: ServerState, app_state: dict[str, Any], timeouts: ClientTimeouts
    ) -> None:
        super().__init__(config, server_state, app_state)
        self._timeouts = timeouts
        self._wait: Wait | None = None
        self._in_head = self._in_body = self._is_websocket = False
        self._head_size = self._received = self._unread_before = 0

    @property
    def unread(self) -> int:
        """How many bytes of an answer the client has not read yet."""
        return self.transport.get_write_buffer_size()

    def time_out(self, wait: Wait) -> None:
        """End an overdue wait, or restart it if the client is not at fault."""
        if self._is_excused(wait):
            self._timeouts.expect(self, wait)
        else:
            what, seconds = _AWAITED.get(wait), self._timeouts.limits.seconds[wait]
            self._close_with(_TIMEOUT, f"The request's {what} did not arrive within {seconds:g} s")

    def make_room(self) -> None:
        """Close to free resources for others."""
        self._close_with(_BUSY, "Too many clients; the connections that waited longest were closed")

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._responses = _ResponseTransport(transport)
        self._update_wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        if self.scope:
            # It refers to this connection, which would be freed late.
            self.scope.pop("extensions", None)
        self._stop_waiting()
        self._release_received()

    def data_received(self, data: bytes) -> None:
        """Parse received data, unless the connection is closing."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._head_size += len(data)
        if self._in_head and self._head_size > HEAD_LIMIT:
            self._refuse(_TOO_LONG, f"Request head exceeds {HEAD_LIMIT} bytes")
        if self._wait or self._in_head or self._in_body:
            self._update_wait()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to the WebSocket protocol, which has its own time limits."""
        self._is_websocket = True
        super().handle_websocket_upgrade()
        # uvicorn ignores an invalid handshake, such as one with a body, and would wait forever.
        if not getattr(self.transport.get_protocol(), "handshake_initiated", False):
            self._refuse(_BAD, "Not a WebSocket handshake")

    def on_message_begin(self) -> None:
        """Start the deadline of a request head."""
        self._stop_waiting()
        self._in_head, self._head_size = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Note the end of the head."""
        self._in_head, self._in_body = False, True
        super().on_headers_complete()
        # Of what HEAD asks for, no body is written.
        if self.cycle and self.scope["method"] != "HEAD" and self.cycle.transport is self.transport:
            self.cycle.transport = self._responses
            self.scope["extensions"] = {**self.extensions, WHOLE_RESPONSE: self._send_whole}  # type: ignore[dict-item]
        elif self.extensions:
            self.scope["extensions"] = {**self.extensions}

    def on_body(self, body: bytes) -> None:
        """Buffer a chunk of a body, within the limit for all clients."""
        super().on_body(body)
        if self.cycle and not self.cycle.response_complete:
            self._received += len(body)
            if not self._timeouts.note_received(len(body)):
                self._close_with(_BUSY, "Too much unanswered request data from all clients together")

    def on_message_complete(self) -> None:
        """Note the end of the body."""
        self._in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Start the next request that has arrived; else start waiting for one, or for the client to read."""
        self._release_received()
        self._responses.has_begun = False
        self.server_state.total_requests += 1
        if not self.transport.is_closing():
            # Without uvicorn's deadline for the next request, which stray bytes would cancel: it is our own.
            self.flow.resume_reading()
            if self.pipeline:
                self._start_asgi_task(*self.pipeline.pop())
        self._update_wait()

    def pause_writing(self) -> None:
        """Start waiting for the client to read."""
        super().pause_writing()
        self._update_wait()
        self._timeouts.check_unread()

    def resume_writing(self) -> None:
        """Stop waiting for the client to read."""
        super().resume_writing()
        self._update_wait()

    def send_400_response(self, msg: str) -> None:
        """Answer malformed HTTP."""
        self._refuse(_BAD, msg)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        # Requests that arrive before the answer to an earlier one start after it.
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    async def _send_whole(self, head: bytes, body: bytes) -> None:
        """Send a response with status 200, whose head is complete but for what each response has."""
        cycle = self._answered
        if cycle.flow.write_paused and not cycle.disconnected:
            await cycle.flow.drain()
        if cycle.disconnected:
            return
        cycle.response_started = cycle.response_complete = True
        end = b"\r\n" if cycle.keep_alive else _CLOSE
        common = _common_lines(tuple(self.server_state.default_headers))
        lines = b"".join((STATUS_LINE[200], common, head, end))
        if len(body) <= _MOST_JOINED:
            self.transport.write(lines + body)
        else:
            self.transport.writelines((lines, body))
        cycle.message_event.set()
        if not cycle.keep_alive:
            cycle.transport.close()
        cycle.on_response()

    def _update_wait(self) -> None:
        wait = self._awaited()
        if wait is not self._wait:
            self._stop_waiting()
            self._wait = wait
            self._unread_before = self.unread if wait is Wait.READ else 0
            if wait:
                self._timeouts.expect(self, wait)

    def _awaited(self) -> Wait | None:
        if self._is_websocket:
            return None
        if self.transport.is_closing():
            # It closes once the last answer has been read.
            return Wait.READ if self.unread else None
        if self.flow.write_paused:
            return Wait.READ
        if self._in_body:
            return Wait.BODY
        if self.cycle and not self.cycle.response_complete:
            return Wait.EVENTS if self.cycle.scope["path"] == EVENTS else None
        return Wait.NEXT_REQUEST if self.cycle and not self._in_head else Wait.HEAD

    def _stop_waiting(self) -> None:
        if self._wait:
            self._timeouts.forget(self, self._wait)
            self._wait = None

    def _is_excused(self, wait: Wait) -> bool:
        if wait is Wait.BODY:
            # This side has paused reading, or is busy with an earlier request.
            return self.flow.read_paused or bool(self.pipeline)
        if wait is Wait.READ:
            read, self._unread_before = self._unread_before - self.unread, self.unread
            return read >= LEAST_READ
        return False

    def _close_with(self, status: bytes, reason: str) -> None:
        # Now rather than on close: until then, others would be dropped for these bytes.
        self._release_received()
        has_begun = (self._in_head or self._in_body) and not self.transport.is_closing()
        if not has_begun or self.flow.write_paused or (self._in_body and self._is_answered()):
            self.transport.abort()
        else:
            self._refuse(status, reason)

    def _is_answered(self) -> bool:
        return self.cycle is not None and self.cycle.response_started

    def _release_received(self) -> None:
        self._timeouts.received -= self._received
        self._received = 0

    def _refuse(self, status: bytes, msg: str) -> None:
        body = json.dumps({"error": msg}).encode()
        headers = [
            *self.server_state.default_headers,
            *self.cors_headers,
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        lines = [b"HTTP/1.1 " + status, *(b": ".join(header) for header in headers), b"", body]
        self.transport.write(b"\r\n".join(lines))
        if self.cycle:
            # Wake the reader of the body: the rest will never arrive.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
        self._update_wait()


class _ResponseTransport(asyncio.Transport):
    """What uvicorn writes responses to: the head and the start of the body of each take one system call."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head = b""
        self.has_begun = False
        """Whether a response has begun that has not ended."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send data; only a head that announces a length waits for the body."""
        if not self.has_begun:
            self.has_begun = True
            if _LENGTH in data:
                self._head = bytes(data)
                return
        if self._head and len(data) <= _MOST_JOINED:
            data, self._head = self._head + data, b""
        self._send_head()
        self._transport.write(data)

    def is_closing(self) -> bool:
        """Whether the connection is closing or closed."""
        return self._transport.is_closing()

    def close(self) -> None:
        """Close the connection once everything is sent."""
        self._send_head()
        self._transport.close()

    def _send_head(self) -> None:
        if self._head:
            self._transport.write(self._head)
            self._head = b""
