"""The client for asyncio, on httpx."""

from __future__ import annotations

import ssl
from functools import partial
from typing import TYPE_CHECKING, Self, TypeVar

import anyio
import anyio.to_thread
import httpx

from stringd.client import endpoints
from stringd.client.connection_pool import MAX_IDLE, MAX_IDLE_SECONDS, NobodyListens
from stringd.client.defaults import CONNECT_SECONDS, DRAIN_SECONDS, PING_SECONDS, REPLY_SECONDS
from stringd.client.exec_stream import ExecAnswer
from stringd.client.records import Answer, Call, ChanFlowAnswer, JsonObject, Reply, Request, Result
from stringd.client.responses import UnexpectedAnswer, port_taken
from stringd.client.sync import Client
from stringd.config import LOOPBACK
from stringd.errors import DaemonUnreachable

if TYPE_CHECKING:
    import os
    from collections.abc import Awaitable, Callable
    from types import TracebackType

Sent = TypeVar("Sent")
NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout)


class AsyncClient:
    """`Client` with awaitable calls; every promise of that class holds here."""

    def __init__(
        self,
        user: str = "default",
        *,
        port: int | None = None,
        home: str | os.PathLike[str] | None = None,
        start: bool = True,
        timeout: float | None = None,
        connect_timeout: float = CONNECT_SECONDS,
    ) -> None:
        # Finding or starting a daemon happens once, in a thread: there is one way of doing it.
        self._blocking = Client(user, port=port, home=home, start=start, connect_timeout=connect_timeout)
        self.user, self.port = self._blocking.user, self._blocking.port
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        self._http = _http_client(self.port)

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
        """Run one command, once: it is never sent again, whatever happens to the answer."""
        request = endpoints.execution(self.user, topic, cmd, request_id)
        return await self._with_daemon(partial(self._execute, request))

    async def chanflow(self, text: str) -> ChanFlowAnswer:
        """Run the `string` blocks of a ChanFlow text and return the text that answers them."""
        call = endpoints.chanflow(self.user, text)
        return await self._with_daemon(partial(self._call, call, self._timeout))

    async def health(self) -> JsonObject:
        """Return what the daemon says of its health, or raise `DaemonUnreachable`."""
        return await self._call(endpoints.health(), PING_SECONDS)

    async def status(self) -> JsonObject:
        """Return what the daemon tells of itself."""
        return await self._call(endpoints.status())

    async def users(self) -> list[JsonObject]:
        """Return the registered users."""
        return await self._call(endpoints.users())

    async def register(self, home: str | os.PathLike[str] | None = None) -> JsonObject:
        """Register this client's user; without a `home`, one who is registered already keeps theirs."""
        return await anyio.to_thread.run_sync(self._blocking.register, home)

    async def remove_user(self) -> bool:
        """Remove this client's user with all sessions; return whether there was one."""
        return await self._call(endpoints.remove_user(self.user))

    async def sessions(self, *, everyone: bool = False) -> list[JsonObject]:
        """Return the sessions of this client's user, or of everyone."""
        return await self._call(endpoints.sessions(None if everyone else self.user))

    async def open_session(self, topic: str) -> bool:
        """List a topic of this client's user; return whether it is a new one."""
        return await self._call(endpoints.open_session(self.user, topic))

    async def close_session(self, topic: str) -> bool:
        """End one topic of this client's user; return whether it was there."""
        return await self._call(endpoints.close_session(self.user, topic))

    async def shutdown(self) -> JsonObject:
        """Ask the daemon to end; the next command starts a new one."""
        self._blocking.prepared = False
        return await self._call(endpoints.shutdown())

    async def prepare(self) -> None:
        """Find the daemon, starting it if need be, and register the user: once, before the first command."""
        if not self._blocking.prepared:
            await anyio.to_thread.run_sync(self._blocking.prepare, abandon_on_cancel=True)

    async def _with_daemon(self, send: Callable[[], Awaitable[Sent]]) -> Sent:
        await self.prepare()
        try:
            return await send()
        except NobodyListens:
            # The daemon ended in the meantime. Nothing was sent, so this is no retry.
            await self.prepare()
            return await send()

    async def _execute(self, request: Request) -> Result:
        answer = ExecAnswer()
        try:
            await self._receive(request, answer)
        except NOT_CONNECTED as error:
            raise self._nobody_listens(error) from error
        except httpx.HTTPError:
            pass  # The request went out: what is missing makes the result an incomplete one.
        return answer.result()

    async def _receive(self, request: Request, answer: ExecAnswer) -> None:
        outgoing = self._outgoing(request, self._timeout)
        with anyio.CancelScope() as draining:
            response = await self._http.send(outgoing, stream=True)
            answer.begin(response.status_code, response.headers)
            try:
                async for chunk in response.aiter_bytes():
                    if answer.feed(chunk):
                        draining.deadline = min(draining.deadline, anyio.current_time() + DRAIN_SECONDS)
            finally:
                with anyio.CancelScope(shield=True):
                    await response.aclose()

    async def _call(self, call: Call[Answer], silence: float | None = REPLY_SECONDS) -> Answer:
        try:
            response = await self._http.send(self._outgoing(call.request, silence))
            reply = Reply(status=response.status_code, headers=response.headers, body=response.content)
            return call.read(reply)
        except UnexpectedAnswer as error:
            raise port_taken(self.port) from error
        except NOT_CONNECTED as error:
            raise self._nobody_listens(error) from error
        except httpx.HTTPError as error:
            raise DaemonUnreachable(f"The daemon on port {self.port} went away without an answer.") from error

    def _outgoing(self, request: Request, silence: float | None) -> httpx.Request:
        timeout = httpx.Timeout(silence, connect=self._connect_timeout)
        headers = [
            (name.encode(), value if isinstance(value, bytes) else value.encode())
            for name, value in request.headers.items()
        ]
        return self._http.build_request(
            request.method, request.path, headers=headers, content=request.body, timeout=timeout
        )

    def _nobody_listens(self, error: httpx.HTTPError) -> NobodyListens:
        self._blocking.prepared = False
        return NobodyListens(self.port, error)


def _http_client(port: int) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=f"http://{LOOPBACK}:{port}",
        limits=httpx.Limits(max_keepalive_connections=MAX_IDLE, keepalive_expiry=MAX_IDLE_SECONDS),
        trust_env=False,
        # Loopback speaks no TLS: an empty context saves reading the certificates.
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
    )
