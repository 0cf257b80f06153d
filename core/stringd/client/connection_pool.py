"""Keep-alive connections to the daemon, shared by threads."""

from __future__ import annotations

import select
import socket
import ssl
import threading
import time
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING

from stringd.client.defaults import DELAY_SECONDS
from stringd.client.records import Reply, Request
from stringd.errors import DaemonUnreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stringd.client.daemon_address import DaemonAddress

MAX_IDLE = 8
# A server closes idle connections on its own: one this old may be closed between the check and the send.
MAX_IDLE_SECONDS = 4.0
# A machine that vanishes is noticed within half a minute, however long a command may take.
KEEP_ALIVE = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, getattr(socket, "TCP_KEEPIDLE", socket.TCP_KEEPINTVL), 10),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4),
)


def lower_headers(response: HTTPResponse) -> dict[str, str]:
    """Return the headers of an answer by their names in lower case."""
    return {name.lower(): value for name, value in response.getheaders()}


class CannotConnect(DaemonUnreachable):
    """No connection came about, so nothing was sent."""

    def __init__(self, address: DaemonAddress, reason: object) -> None:
        cause = getattr(reason, "__cause__", None)
        while cause is not None and not isinstance(reason, ssl.SSLError):
            reason, cause = cause, cause.__cause__
        if isinstance(reason, ssl.SSLCertVerificationError):
            text = f"The certificate {address.place} is not accepted: {reason.verify_message}"
            super().__init__(f"{text}. --ca-file or STRINGD_CA_FILE names its authority")
        else:
            super().__init__(f"No daemon answers {address.place}: {reason}")


class Connection:
    """One connection; `reusable` after its last answer was read to the end."""

    def __init__(self, address: DaemonAddress, connect_seconds: float) -> None:
        self._headers = address.headers
        self._http = _http_connection(address, connect_seconds)
        self._http.connect()
        self._socket = self._http.sock
        for option in KEEP_ALIVE if address.is_remote else ():
            self._socket.setsockopt(*option)
        self._idle_since = time.monotonic()
        self.reusable = False

    def send(
        self, request: Request, silence: float | None, on_delay: Callable[[], object] | None = None
    ) -> HTTPResponse:
        """Send a request and return its answer, body unread; `silence` limits every wait from here on.

        `on_delay` is called once if no answer begins within `DELAY_SECONDS`; what it raises ends the request.
        """
        self.limit(silence)
        # A daemon may answer and close before it has read all of a body that it refuses.
        with suppress(BrokenPipeError):
            headers = {**request.headers, **self._headers}
            self._http.request(request.method, request.path, request.body, headers)
        if on_delay and not self._is_readable(DELAY_SECONDS):
            on_delay()
        return self._http.getresponse()

    def limit(self, silence: float | None) -> None:
        """Time out after `silence` seconds without a byte; None waits indefinitely."""
        self._socket.settimeout(silence)

    def finish(self, response: HTTPResponse) -> bytes:
        """Read the rest of the answer; the connection is reusable if the daemon keeps it open."""
        rest = response.read()
        self.reusable = not response.will_close
        return rest

    def fetch(self, request: Request, silence: float | None) -> Reply:
        """Send a request and return its whole answer."""
        response = self.send(request, silence)
        return Reply(status=response.status, headers=lower_headers(response), body=self.finish(response))

    def mark_idle(self) -> None:
        """Mark the connection as idle from now on."""
        self.reusable, self._idle_since = False, time.monotonic()

    def is_stale(self) -> bool:
        """Whether the connection was idle for too long, or the daemon has closed it (then it is readable)."""
        return self._is_readable(0) or time.monotonic() - self._idle_since > MAX_IDLE_SECONDS

    def hang_up(self) -> None:
        """Shut the connection down, which also ends reads in other threads."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self.close()

    def close(self) -> None:
        """Close the connection in any state."""
        self._http.close()
        self._socket.close()

    def _is_readable(self, seconds: float) -> bool:
        watcher = select.poll()
        watcher.register(self._socket, select.POLLIN)
        return bool(watcher.poll(seconds * 1000))


def _http_connection(address: DaemonAddress, connect_seconds: float) -> HTTPConnection:
    if tls := address.tls():
        return HTTPSConnection(address.host, address.port, timeout=connect_seconds, context=tls)
    return HTTPConnection(address.host, address.port, timeout=connect_seconds)


class ConnectionPool:
    """Leases connections; reusable ones are leased again, the most recently used first."""

    def __init__(self, address: DaemonAddress, connect_seconds: float) -> None:
        self._address = address
        self._connect_seconds = connect_seconds
        self._lock = threading.Lock()
        self._idle: list[Connection] = []

    @contextmanager
    def lease(self) -> Iterator[Connection]:
        """Lease an idle connection that the daemon holds open, else a new one."""
        connection = self._idle_one() or self._new_one()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _idle_one(self) -> Connection | None:
        while connection := self._pop():
            if not connection.is_stale():
                return connection
            connection.close()
        return None

    def _pop(self) -> Connection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _new_one(self) -> Connection:
        try:
            return Connection(self._address, self._connect_seconds)
        except OSError as error:
            raise CannotConnect(self._address, error) from error

    def _give_back(self, connection: Connection) -> None:
        with self._lock:
            if connection.reusable and len(self._idle) < MAX_IDLE:
                connection.mark_idle()
                self._idle.append(connection)
                return
        connection.close()
