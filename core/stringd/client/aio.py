"""The asyncio client, on httpx."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import aclosing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Self, TypeVar

import anyio
import anyio.to_thread
import httpx

import stringd.client.endpoints as endpoints
from stringd.client.async_calls import AsyncCalls
from stringd.client.connection_pool import KEEP_ALIVE, MAX_IDLE, MAX_IDLE_SECONDS, CannotConnect
from stringd.client.defaults import CONNECT_SECONDS, DELAY_SECONDS, DRAIN_SECONDS, PING_SECONDS, REPLY_SECONDS
from stringd.client.event_stream import EventStream
from stringd.client.exec_stream import ExecAnswer
from stringd.client.records import Call, ChanFlowAnswer, Event, JsonObject, Parsed, Reply, Request, Result
from stringd.client.responses import ConnectionLost, UnexpectedAnswer, port_taken, refusal
from stringd.client.sync import Client
from stringd.errors import DaemonUnreachable, RequestRefused, StringdError, Unavailable, UnknownUser

if TYPE_CHECKING:
    import os
    from collections.abc import (
        AsyncGenerator,
        AsyncIterator,
        Awaitable,
        Callable,
        Iterable,
        Iterator,
    )
    from types import TracebackType

    from stringd.client.daemon_address import DaemonAddress

Sent = TypeVar("Sent")
NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout)


class AsyncClient(AsyncCalls):
    """`Client` with awaitable methods and the same behaviour."""

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
        # Finding or starting a daemon and registering the user run in a thread, with the blocking client.
        self._blocking = Client(
            user, port=port, address=address, home=home, start=start, connect_timeout=connect_timeout
        )
        self.user, self.port = self._blocking.user, self._blocking.port
        self.address = self._blocking.address
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        self._http = _http_client(self.address)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        self._blocking.close()
        await self._http.aclose()

    async def exec(self, topic: str, cmd: str, request_id: str | None = None) -> Result:
        """Run one command; never send it again once it may have run; see `Client.exec`."""
        request = endpoints.execution(self.user, topic, cmd, self._blocking.request_id(request_id))
        if self.address.is_remote:
            return await self._repeat(partial(self._execute, request), runs_once=True)
        if self._blocking.can_send_first(request):
            # Neither a refused connection nor the refusal of an unknown user has run anything.
            try:
                result = await self._execute(request)
            except CannotConnect:
                pass
            except UnknownUser:
                await anyio.to_thread.run_sync(self._blocking.ensure_user, abandon_on_cancel=True)
            else:
                self._blocking.prepared = True
                return result
        return await self._with_daemon(partial(self._execute, request))

    async def chanflow(self, text: str) -> ChanFlowAnswer:
        """Run the `string` blocks of a ChanFlow text and return their answers."""
        call = endpoints.chanflow(self.user, text)
        return await self._with_daemon(partial(self._fetch, call, self._timeout))

    async def health(self) -> JsonObject:
        """Return the answer of `/health`, or raise `DaemonUnreachable`."""
        return await self._fetch(endpoints.health(), PING_SECONDS)

    async def allow(self, directory: str | os.PathLike[str]) -> JsonObject:
        """Let this client's user access a directory besides the home; register the user if necessary."""
        return await anyio.to_thread.run_sync(self._blocking.allow, directory)

    async def register(self, home: str | os.PathLike[str] | None = None) -> JsonObject:
        """Register this client's user; without a `home`, a registered user keeps its home."""
        return await anyio.to_thread.run_sync(self._blocking.register, home)

    async def events(
        self,
        topic: str | None = None,
        *,
        kinds: Iterable[str] = (),
        request_id: str | None = None,
        everyone: bool = False,
        after: str | int | None = None,
        reconnect: bool = False,
    ) -> AsyncIterator[Event]:
        """Iterate over events; see `Client.events`."""
        user = None if everyone else self.user
        request = endpoints.events(user=user, topic=topic, kinds=kinds, request_id=request_id, after=after)
        stream = EventStream()
        while True:
            resumed = endpoints.resumed(request, stream.position)
            try:
                async with aclosing(self._events_once(resumed, stream)) as events:
                    async for event in events:
                        yield event
            except (DaemonUnreachable, Unavailable):
                if not (reconnect and stream.has_begun):
                    raise
            if not reconnect:
                return
            await anyio.sleep(stream.next_pause())

    async def shutdown(self) -> JsonObject:
        """Shut the daemon down; the next command starts a new one."""
        self._blocking.prepared = False
        return await self._fetch(endpoints.shutdown(), REPLY_SECONDS)

    async def prepare(self) -> None:
        """Find or start the daemon and register the user, unless that is done."""
        if not self._blocking.prepared:
            await anyio.to_thread.run_sync(self._blocking.prepare, abandon_on_cancel=True)

    async def _repeat(self, send: Callable[[], Awaitable[Sent]], *, runs_once: bool) -> Sent:
        """Send to a cluster until the outcome is known; see `Client`."""
        await self.prepare()
        repetition = self._blocking.repetition(runs_once=runs_once)
        outcome = await self._attempt(send)
        while (pause := repetition.pause_after(outcome)) is not None:
            await anyio.sleep(pause)
            outcome = await self._attempt(send)
        return repetition.ended_with(outcome)

    async def _attempt(self, send: Callable[[], Awaitable[Sent]]) -> Sent | StringdError:
        try:
            return await send()
        except (RequestRefused, DaemonUnreachable) as failure:
            return failure

    async def _with_daemon(self, send: Callable[[], Awaitable[Sent]]) -> Sent:
        if self.address.is_remote:
            return await self._repeat(send, runs_once=False)
        await self.prepare()
        try:
            return await send()
        except CannotConnect:
            # The daemon has stopped since. Nothing was sent, so this is not a retry.
            await self.prepare()
            return await send()

    async def _execute(self, request: Request) -> Result:
        answer = ExecAnswer()
        try:
            await self._receive(request, answer)
        except NOT_CONNECTED as error:
            raise self._cannot_connect(error) from error
        except httpx.HTTPError:
            pass  # The request was sent: whatever is missing makes the result incomplete.
        if not (self._blocking.prepared or answer.is_daemons):
            with suppress(CannotConnect):
                await self._check_listener()
        return answer.result()

    async def _receive(self, request: Request, answer: ExecAnswer) -> None:
        outgoing = self._outgoing(request, self._timeout)
        with anyio.CancelScope() as draining:
            response = await self._begun(outgoing)
            answer.begin(response.status_code, response.headers)
            try:
                async for chunk in response.aiter_bytes():
                    if answer.feed(chunk):
                        draining.deadline = min(draining.deadline, anyio.current_time() + DRAIN_SECONDS)
            finally:
                with anyio.CancelScope(shield=True):
                    await response.aclose()

    async def _begun(self, outgoing: httpx.Request) -> httpx.Response:
        """Send a request and return the answer as soon as it begins; see `Connection.send`."""
        if self._blocking.prepared:
            return await self._http.send(outgoing, stream=True)
        sending = asyncio.ensure_future(self._http.send(outgoing, stream=True))
        try:
            await asyncio.wait((sending,), timeout=DELAY_SECONDS)
            if not sending.done():
                await self._check_listener()
            return await sending
        finally:
            sending.cancel()

    async def _check_listener(self) -> None:
        """Raise `PortTaken` if another program listens on the port."""
        await anyio.to_thread.run_sync(self._blocking.health, abandon_on_cancel=True)

    async def _events_once(self, request: Request, stream: EventStream) -> AsyncGenerator[Event, None]:
        stream.begin()
        with self._explained():
            response = await self._begun(self._outgoing(request, None))
            try:
                if response.status_code != 200:
                    body = await response.aread()
                    raise refusal(Reply(status=response.status_code, headers=response.headers, body=body))
                async for chunk in response.aiter_bytes():
                    for event in stream.feed(chunk):
                        yield event
            finally:
                with anyio.CancelScope(shield=True):
                    await response.aclose()

    async def _call(self, call: Call[Parsed], silence: float | None = REPLY_SECONDS) -> Parsed:
        send = partial(self._fetch, call, silence)
        if self.address.is_remote:
            return await self._repeat(send, runs_once=call.request.method == "GET")
        return await send()

    async def _fetch(self, call: Call[Parsed], silence: float | None) -> Parsed:
        with self._explained():
            response = await self._http.send(self._outgoing(call.request, silence))
            reply = Reply(status=response.status_code, headers=response.headers, body=response.content)
            return call.read(reply)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except UnexpectedAnswer as error:
            raise port_taken(self.address.place) from error
        except NOT_CONNECTED as error:
            raise self._cannot_connect(error) from error
        except httpx.HTTPError as error:
            raise ConnectionLost(self.address.place) from error

    def _outgoing(self, request: Request, silence: float | None) -> httpx.Request:
        timeout = httpx.Timeout(silence, connect=self._connect_timeout)
        headers = [
            (name.encode(), value if isinstance(value, bytes) else value.encode())
            for name, value in request.headers.items()
        ]
        return self._http.build_request(
            request.method, request.path, headers=headers, content=request.body, timeout=timeout
        )

    def _cannot_connect(self, error: httpx.HTTPError) -> CannotConnect:
        self._blocking.prepared = False
        return CannotConnect(self.address, error)


def _http_client(address: DaemonAddress) -> httpx.AsyncClient:
    # Without TLS, an empty context saves reading the certificates.
    tls = address.tls() or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    limits = httpx.Limits(max_keepalive_connections=MAX_IDLE, keepalive_expiry=MAX_IDLE_SECONDS)
    transport = httpx.AsyncHTTPTransport(
        limits=limits, trust_env=False, verify=tls, socket_options=KEEP_ALIVE if address.is_remote else None
    )
    return httpx.AsyncClient(
        base_url=address.url, headers=address.headers, trust_env=False, transport=transport
    )
