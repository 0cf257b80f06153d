"""The HTTP server: uvicorn, with this daemon's settings and this daemon's way to end."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from stringd.config import BODY_LIMIT, LOOPBACK
from stringd.console import announce
from stringd.daemon.app import make_app
from stringd.daemon.door import CORS_HEADERS
from stringd.kernel import Kernel

log = logging.getLogger(__name__)

KEEP_ALIVE_SECONDS = 75
HEAD_LIMIT = 256 * 1024
SHUTDOWN_DELAY_SECONDS = 0.05
# The end has five seconds: a moment for what runs, time to end the rest and to send the answers, and only
# then the last resort.
COMMAND_GRACE_SECONDS = 1.0
TOPICS_END_SECONDS = 2.7
FLUSH_SECONDS = 0.3
CLOSE_SECONDS = 4
LAST_RESORT_SECONDS = 4.6


class Server(uvicorn.Server):
    """Ends what runs before it ends itself, and never by the signal that asked for it."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.exit_code = 0
        super().__init__(
            uvicorn.Config(
                make_app(kernel, stop=self.stop_soon),
                http=_Protocol,
                ws="websockets-sansio",
                ws_max_size=BODY_LIMIT,
                lifespan="off",
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=CLOSE_SECONDS,
            )
        )

    async def stop_soon(self) -> None:
        """Stop after the answer that announces it has left (seed 1, "POST /shutdown")."""
        asyncio.get_running_loop().call_later(SHUTDOWN_DELAY_SECONDS, self.stop)

    def stop(self) -> None:
        """Stop accepting, end what runs, and return from `serve`."""
        if not self.should_exit:
            self.should_exit = True
            last_resort = threading.Timer(LAST_RESORT_SECONDS, self._leave)
            last_resort.daemon = True
            last_resort.start()

    def fail(self) -> None:
        """Stop because the daemon can't go on."""
        self.exit_code = 1
        self.stop()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say where."""
        await super().startup(sockets)
        for listener in sockets or ():
            port = listener.getsockname()[1]
            announce(f"stringd listening on http://{LOOPBACK}:{port}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let connections finish while what runs in the topics is brought to its end."""
        ending = asyncio.create_task(self._end_topics())
        await super().shutdown(sockets)
        await ending

    async def _end_topics(self) -> None:
        await self._kernel.registry.stop(COMMAND_GRACE_SECONDS, TOPICS_END_SECONDS)
        # Every command is answered now. Who neither sends nor reads any more is not waited for.
        await asyncio.sleep(FLUSH_SECONDS)
        for connection in list(self.server_state.connections):
            if connection.transport:
                connection.transport.abort()

    def _leave(self) -> None:
        log.error("something would not end within %s s; leaving without it", LAST_RESORT_SECONDS)
        os._exit(self.exit_code)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the event loop: uvicorn's own handling would end the process by them."""
        yield


class _Protocol(HttpToolsProtocol):
    """Answers bytes that are no HTTP the way everything else is answered: JSON with CORS headers."""

    _in_head = False
    _head_size = 0

    def on_message_begin(self) -> None:
        self._in_head, self._head_size = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._head_size += len(data)
        if self._in_head and self._head_size > HEAD_LIMIT:
            self._refuse(b"431 Request Header Fields Too Large", f"Request head exceeds {HEAD_LIMIT} bytes")

    def send_400_response(self, msg: str) -> None:
        self._refuse(b"400 Bad Request", msg)

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
        self.transport.close()
