"""The HTTP server: uvicorn with our connections, settings and shutdown."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

import uvicorn

from stringd.api.events import DaemonReady
from stringd.api.runtime import Service
from stringd.config import REQUEST_LIMIT
from stringd.processes.descriptors import DESCRIPTORS
from stringd.processes.standard_streams import announce
from stringd.runtime.local import LocalRuntime
from stringd.server.acceptor import Acceptor
from stringd.server.app import make_app
from stringd.server.client_connection import Connection
from stringd.server.client_timeouts import ClientTimeouts, Limits
from stringd.server.door_connection import DoorConnection
from stringd.server.doorways import BoundSocket, is_cors_open
from stringd.server.request_guard import CORS_HEADERS
from stringd.server.tls_handshakes import TlsHandshakes
from stringd.server.websocket_connection import WebSocketConnection

log = logging.getLogger(__name__)

PING_SECONDS = 20.0
SHUTDOWN_DELAY_SECONDS = 0.05
# Shutdown takes at most five seconds: a grace period for running commands, time to end the others and to
# send their answers, and finally a forced exit.
COMMAND_GRACE_SECONDS = 1.0
TOPICS_END_SECONDS = 2.7
SERVICE_END_SECONDS = 3.0
FLUSH_SECONDS = 0.3
ROUTE_GRACE_SECONDS = 0.3
CLOSE_SECONDS = 4
LAST_RESORT_SECONDS = 4.6


_Accept: TypeAlias = Callable[[Callable[[], Connection], socket.socket], Awaitable[object]]


class Server(uvicorn.Server):
    """A server that ends running commands before it stops, and never re-raises the signal that stopped it."""

    def __init__(self, runtime: LocalRuntime, listeners: Sequence[BoundSocket]) -> None:
        self._runtime = runtime
        self._listeners = listeners
        self._timeouts = ClientTimeouts(Limits())
        self._acceptors: list[Acceptor] = []
        self.exit_code = 0
        self.services: Mapping[asyncio.Task[None], Service] = {}
        """The running services."""
        super().__init__(
            uvicorn.Config(
                make_app(runtime, stop=self.stop_soon),
                http=Connection,
                ws=partial(WebSocketConnection, timeouts=self._timeouts),  # type: ignore[arg-type]
                ws_max_size=REQUEST_LIMIT,
                # A client that does not answer a ping is not reading: it may be busy with what it has.
                ws_ping_interval=PING_SECONDS,
                ws_ping_timeout=None,
                # On loopback, compressing takes longer than sending, and memory for each client.
                ws_per_message_deflate=False,
                lifespan="off",
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=CLOSE_SECONDS,
            )
        )

    async def stop_soon(self) -> None:
        """Stop once the answer to `POST /shutdown` has been sent."""
        asyncio.get_running_loop().call_later(SHUTDOWN_DELAY_SECONDS, self.stop)

    def stop(self) -> None:
        """Stop accepting, end running commands, and return from `serve`."""
        if not self.should_exit:
            self.should_exit = True
            last_resort = threading.Timer(LAST_RESORT_SECONDS, self._force_exit)
            last_resort.daemon = True
            last_resort.start()

    def fail(self) -> None:
        """Stop with exit code 1."""
        self.exit_code = 1
        self.stop()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening and print the address."""
        self.servers = []
        for it in self._listeners:
            self._acceptors.append(self._acceptor(it))
            self._acceptors[-1].open()
            announce(f"stringd listening on {it}")
        self.started = True
        self._runtime.events.publish(DaemonReady())

    async def on_tick(self, counter: int) -> bool:
        """Time connections out; return whether to stop."""
        self._timeouts.tick(asyncio.get_running_loop().time())
        for acceptor in self._acceptors:
            acceptor.tick()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let connections finish while the topics are ended."""
        for acceptor in self._acceptors:
            acceptor.close()
        ending = asyncio.create_task(self._end_topics())
        await super().shutdown(sockets)
        await ending

    def _acceptor(self, bound: BoundSocket) -> Acceptor:
        connect = partial(self._accept_of(bound), self._connections_of(bound))
        return Acceptor(bound.socket, connect, self._timeouts, DESCRIPTORS.current)

    def _accept_of(self, bound: BoundSocket) -> _Accept:
        tls = bound.listening and bound.listening.tls
        if tls:
            return TlsHandshakes(tls, self._timeouts).connect
        return asyncio.get_running_loop().connect_accepted_socket

    def _connections_of(self, bound: BoundSocket) -> Callable[[], Connection]:
        arguments = (self.config, self.server_state, self.lifespan.state, self._timeouts)
        doors = self._runtime.catalogue.doors
        if not doors:
            return partial(Connection, *arguments)
        cors = CORS_HEADERS if is_cors_open(doors) else ()
        return partial(DoorConnection, *arguments, listening=bound.name, cors_headers=cors)

    async def _end_topics(self) -> None:
        ending = self._runtime.stop(COMMAND_GRACE_SECONDS, TOPICS_END_SECONDS)
        await asyncio.gather(ending, *(self._service_end(*it) for it in self.services.items()))
        # Every command is answered now; clients that neither send nor read are not waited for.
        await asyncio.sleep(FLUSH_SECONDS)
        for connection in list(self.server_state.connections):
            if isinstance(connection, WebSocketConnection):
                connection.go_away()
            elif connection.transport:
                connection.transport.abort()
        # Only routes of plugins still run now, and they had time to end by themselves.
        if tasks := set(self.server_state.tasks):
            await asyncio.wait(tasks, timeout=ROUTE_GRACE_SECONDS)
        for task in self.server_state.tasks:
            task.cancel()
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    async def _service_end(self, task: asyncio.Task[None], service: Service) -> None:
        if service.stop_seconds:
            await asyncio.wait((task,), timeout=min(service.stop_seconds, SERVICE_END_SECONDS))

    def _force_exit(self) -> None:
        log.error("shutdown did not finish within %s s; exiting", LAST_RESORT_SECONDS)
        os._exit(self.exit_code)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the event loop: uvicorn's own handling would re-raise them."""
        yield
