"""The blocking client: thread-safe, quick to import."""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import stringd.client.endpoints as endpoints
from stringd.client.calls import Calls
from stringd.client.connection_pool import CannotConnect, Connection, ConnectionPool, lower_headers
from stringd.client.daemon_address import DaemonAddress, default_address
from stringd.client.defaults import CONNECT_SECONDS, DRAIN_SECONDS, PING_SECONDS, REPLY_SECONDS
from stringd.client.event_stream import EventStream
from stringd.client.exec_stream import ExecAnswer
from stringd.client.records import Reply
from stringd.client.repetition import RUNS_ONCE, Repetition, attempted
from stringd.client.responses import ConnectionLost, UnexpectedAnswer, port_taken, refusal
from stringd.errors import DaemonUnreachable, Fault, PortTaken, Unavailable, UnknownUser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    from stringd.client.records import Call, ChanFlowAnswer, Event, JsonObject, Parsed, Request, Result

CHUNK = 65536
MAX_FIRST_BODY = 64 * 1024
Sent = TypeVar("Sent")


class Client(Calls):
    """Talks to the daemon as one user; starts the daemon and registers the user when first needed.

    `home` registers that home; without it an unknown user gets one below `~/.string/users`. A daemon with a
    URL is not started, and its users are registered only with a `home`.
    `timeout` limits how long `exec` and `chanflow` wait without receiving a byte; None waits indefinitely.
    """

    def __init__(
        self,
        user: str = "default",
        *,
        port: int | None = None,
        address: DaemonAddress | None = None,
        home: str | os.PathLike[str] | None = None,
        start: bool = True,
        timeout: float | None = None,
        connect_timeout: float = CONNECT_SECONDS,
    ) -> None:
        self.user = endpoints.check_user(user)
        self.address = address or (default_address() if port is None else DaemonAddress(port=port))
        self.port = self.address.port
        self._home = home
        self._start = start
        self._timeout = timeout
        self._pool = ConnectionPool(self.address, connect_timeout)
        self._preparing = threading.Lock()
        self._protocol: str | None = None
        self.prepared = False
        """Whether a daemon was found that knows the user."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the idle connections."""
        self._pool.close()

    def exec(self, topic: str, cmd: str, request_id: str | None = None) -> Result:
        """Run one command; never send it again once it may have run, even if the reply is lost.

        To a daemon with a URL, it may be sent again, if the daemon runs it at most once.
        """
        request = endpoints.execution(self.user, topic, cmd, self.request_id(request_id))
        if self.address.is_remote:
            return self._repeat(partial(self._execute, request), runs_once=True)
        if self.can_send_first(request):
            # Neither a refused connection nor the refusal of an unknown user has run anything.
            try:
                result = self._execute(request)
            except CannotConnect:
                pass
            except UnknownUser:
                self.ensure_user()
            else:
                self.prepared = True
                return result
        return self._with_daemon(partial(self._execute, request))

    def chanflow(self, text: str) -> ChanFlowAnswer:
        """Run the `string` blocks of a ChanFlow text and return their answers."""
        call = endpoints.chanflow(self.user, text)
        return self._with_daemon(partial(self._fetch, call, self._timeout))

    def health(self) -> JsonObject:
        """Return the answer of `/health`, or raise `DaemonUnreachable`."""
        return self._fetch(endpoints.health(), PING_SECONDS)

    def allow(self, directory: str | os.PathLike[str]) -> JsonObject:
        """Let this client's user access a directory besides the home; register the user if necessary."""
        known = next((it for it in self.users() if it["id"] == self.user), None)
        home = known["home"] if known else self._absolute(None)
        allowed = dict.fromkeys((*(known["allowedPaths"] if known else ()), str(Path(directory).absolute())))
        return self._call(endpoints.register(self.user, home, tuple(allowed)))

    def register(self, home: str | os.PathLike[str] | None = None) -> JsonObject:
        """Register this client's user; without a `home`, a registered user keeps its home."""
        known = None if home else self._known_home()
        if known is not None:
            return {"user_id": self.user, "home": known, "created": False}
        return self._call(endpoints.register(self.user, self._absolute(home)))

    def events(
        self,
        topic: str | None = None,
        *,
        kinds: Iterable[str] = (),
        request_id: str | None = None,
        everyone: bool = False,
        after: str | int | None = None,
        reconnect: bool = False,
    ) -> Iterator[Event]:
        """Iterate over new events, or events after a position; see docs/reference/events.md.

        It ends when the daemon stops; with `reconnect`, it waits for the next one and continues.
        """
        user = None if everyone else self.user
        request = endpoints.events(user=user, topic=topic, kinds=kinds, request_id=request_id, after=after)
        stream = EventStream()
        while True:
            try:
                yield from self._events_once(endpoints.resumed(request, stream.position), stream)
            except (DaemonUnreachable, Unavailable):
                if not (reconnect and stream.has_begun):
                    raise
            if not reconnect:
                return
            time.sleep(stream.next_pause())

    def shutdown(self) -> JsonObject:
        """Shut the daemon down; the next command starts a new one."""
        self.prepared = False
        return self._fetch(endpoints.shutdown(), REPLY_SECONDS)

    def prepare(self) -> None:
        """Find or start the daemon and register the user, unless that is done."""
        if self.address.is_remote:
            self._find_remote()
        else:
            self.ensure_user(self._find_or_start)

    def repetition(self, *, runs_once: bool) -> Repetition:
        """Return what decides whether a request is sent again; `runs_once`: if the daemon keeps to that."""
        return Repetition(
            runs_once=runs_once and self._protocol == RUNS_ONCE, was_connected=self._protocol is not None
        )

    def request_id(self, given: str | None) -> str | None:
        """Return the id of a command; one that may be sent again needs one."""
        return os.urandom(8).hex() if given is None and self.address.is_remote else given

    def ensure_user(self, find_daemon: Callable[[], None] | None = None) -> None:
        """Register the user once; call `find_daemon` before, unless the daemon has already answered."""
        with self._preparing:
            if not self.prepared:
                if find_daemon:
                    find_daemon()
                self.register(self._home)
                self.prepared = True

    def can_send_first(self, request: Request) -> bool:
        """Whether to send a command before looking for the daemon: usually it runs and knows the user.

        A long body is not sent to an unknown listener, which may never read it.
        """
        return not (self.prepared or self._home) and len(request.body or b"") <= MAX_FIRST_BODY

    def _with_daemon(self, send: Callable[[], Sent]) -> Sent:
        if self.address.is_remote:
            return self._repeat(send, runs_once=False)
        self.prepare()
        try:
            return send()
        except CannotConnect:
            # The daemon has stopped since. Nothing was sent, so this is not a retry.
            self.prepare()
            return send()

    def _repeat(self, send: Callable[[], Sent], *, runs_once: bool) -> Sent:
        """Send to a cluster until the outcome is known, as far as that can't do harm."""
        self.prepare()
        repetition = self.repetition(runs_once=runs_once)
        outcome = attempted(send)
        while (pause := repetition.pause_after(outcome)) is not None:
            time.sleep(pause)
            outcome = attempted(send)
        return repetition.ended_with(outcome)

    def _find_remote(self) -> None:
        """Find out what answers at the URL; register the user if there is a home for it."""
        with self._preparing:
            if self._protocol is None:
                protocol = str(self.health().get("protocol", ""))
                if self._home is not None:
                    self._fetch(endpoints.register(self.user, self._absolute(self._home)), REPLY_SECONDS)
                self._protocol = protocol
            self.prepared = True

    def _find_or_start(self) -> None:
        try:
            self.health()
        except PortTaken:
            raise
        except DaemonUnreachable:
            if not self._start:
                raise
            from stringd.client.autostart import start_daemon

            start_daemon(self.port, self.health)

    def _known_home(self) -> str | None:
        return next((user["home"] for user in self.users() if user["id"] == self.user), None)

    def _absolute(self, home: str | os.PathLike[str] | None) -> str:
        from stringd.client.user_directories import user_home

        if home is None and self.address.is_remote:
            raise Fault(f"There is no user {self.user} {self.address.place}; registering it needs a home.")
        return str(user_home(self.user)) if home is None else str(Path(home).absolute())

    def _execute(self, request: Request) -> Result:
        answer = ExecAnswer()
        with self._lease() as connection, suppress(OSError, HTTPException):
            self._receive(connection, request, answer)
        if not (self.prepared or answer.is_daemons):
            with suppress(CannotConnect):
                self.health()
        return answer.result()

    def _receive(self, connection: Connection, request: Request, answer: ExecAnswer) -> None:
        response = connection.send(request, self._timeout, None if self.prepared else self.health)
        answer.begin(response.status, lower_headers(response))
        for chunk in iter(partial(response.read1, CHUNK), b""):
            if answer.feed(chunk):
                connection.limit(DRAIN_SECONDS)
        connection.finish(response)

    def _events_once(self, request: Request, stream: EventStream) -> Iterator[Event]:
        stream.begin()
        with self._lease() as connection, self._explained():
            response = connection.send(request, REPLY_SECONDS)
            if response.status != 200:
                body = connection.finish(response)
                raise refusal(Reply(status=response.status, headers=lower_headers(response), body=body))
            connection.limit(None)
            for chunk in iter(partial(response.read1, CHUNK), b""):
                yield from stream.feed(chunk)

    def _call(self, call: Call[Parsed], silence: float | None = REPLY_SECONDS) -> Parsed:
        if self.address.is_remote:
            return self._repeat(partial(self._fetch, call, silence), runs_once=call.request.method == "GET")
        return self._fetch(call, silence)

    def _fetch(self, call: Call[Parsed], silence: float | None) -> Parsed:
        with self._lease() as connection, self._explained():
            return call.read(connection.fetch(call.request, silence))

    @contextmanager
    def _lease(self) -> Iterator[Connection]:
        try:
            with self._pool.lease() as connection:
                yield connection
        except DaemonUnreachable:
            self.prepared = False
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (ConnectionError, IncompleteRead) as error:
            raise ConnectionLost(self.address.place) from error
        except (TimeoutError, HTTPException, UnexpectedAnswer) as error:
            raise port_taken(self.address.place) from error
