"""The servers that run: started at their first use, kept warm, ended when idle, restarted after a crash."""

from __future__ import annotations

import asyncio
import importlib
import shlex
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec import Struct, field

from stringd.plugin import ErrorCode, Invocation, Refusal, Runtime, SecretScope
from stringd.plugin.effects import ShellRun, permit
from stringd.plugin.events import current_output
from stringd.plugin.processes import time_limit
from stringd_mcp.connections.server_call import ServerCall
from stringd_mcp.connections.server_description import ServerDescription
from stringd_mcp.connections.server_listing import ServerListing
from stringd_mcp.connections.server_log import ServerLog
from stringd_mcp.connections.sign_in_returns import SignInReturns
from stringd_mcp.mcp_settings import McpSettings

if TYPE_CHECKING:
    from stringd_mcp.connections.sdk_connection import SdkConnection

T = TypeVar("T")

START_SECONDS = 60.0
CALL_SECONDS = 180.0
_MOMENT = 0.1


class ServerKey(Struct, frozen=True, kw_only=True):
    """Whose server it is: a user's, of the app in a directory, in one of its configurations."""

    user_id: str
    user_since: str
    """When the user was registered: one who has the id after a removed one has servers of its own."""
    app: str
    directory: str
    config: str | None = None
    is_trial: bool = False
    """Whether it only runs to be installed."""


Changed: TypeAlias = Callable[[ServerKey, ServerListing], Awaitable[None]]
"""Called with what a server offers after it has said that this has changed."""


class RunningServer(Struct, kw_only=True):
    """A server, which may have ended meanwhile."""

    server: ServerDescription
    log: ServerLog = field(default_factory=ServerLog)
    connection: SdkConnection | None = None
    listing: ServerListing | None = None
    users: int = 0
    is_following: bool = False
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    idle: asyncio.TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        """Whether it is connected."""
        return self.connection is not None and self.connection.is_open


def token_owner(directory: str, url: str) -> str:
    """Return the owner of an app's tokens; those for one address are never sent to another."""
    return f"mcp:{directory}:{url}"


class ServerPool:
    """All servers of a daemon."""

    def __init__(self, runtime: Runtime, returns: SignInReturns) -> None:
        self._runtime = runtime
        self._returns = returns
        self._servers: dict[ServerKey, RunningServer] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.on_change: Changed | None = None

    @property
    def running(self) -> int:
        """How many servers are connected."""
        return sum(it.is_running for it in self._servers.values())

    def find(self, key: ServerKey) -> RunningServer | None:
        """Return a server that was used."""
        return self._servers.get(key)

    def call(self, key: ServerKey, invocation: Invocation) -> ServerCall:
        """Return what a command that uses a server passes to it."""
        return ServerCall(invocation=invocation, server=key.app, feed=current_output())

    async def use(
        self,
        key: ServerKey,
        server: ServerDescription,
        call: ServerCall,
        send: Callable[[SdkConnection], Awaitable[T]],
        *,
        repeat: bool = True,
    ) -> T:
        """Send a request to a server, which is started if need be.

        If it has crashed, it is restarted once; a request that it had already begun is only sent again if
        that may be repeated.
        """
        used = self._servers.setdefault(key, RunningServer(server=server))
        used.users += 1
        if used.idle:
            used.idle.cancel()
            used.idle = None
        try:
            seconds = time_limit(call.invocation.session.state, CALL_SECONDS)
            connection = await self._opened(key, used, server, call)
            async with call.limited(seconds, key.app):
                return await self._sent(key, used, server, call, connection, send, repeat=repeat)
        finally:
            used.users -= 1
            self._plan_end(key, used)

    async def listing(self, key: ServerKey, server: ServerDescription, call: ServerCall) -> ServerListing:
        """Return what a server offers; it is asked again only after it has said that this has changed."""
        known = self._servers.get(key)
        if known and known.is_running and known.server == server and known.listing:
            return known.listing
        found = await self.use(key, server, call, lambda it: it.listing(call))
        # The server may have been ended meanwhile, with the user or the app that it belonged to.
        if used := self._servers.get(key):
            used.listing = found
        return found

    async def end(self, matches: Callable[[ServerKey], bool]) -> None:
        """End the servers whose keys match."""
        await _close_all([self._servers.pop(key) for key in list(self._servers) if matches(key)])

    async def close(self) -> None:
        """End all servers."""
        for task in self._tasks:
            task.cancel()
        await self.end(lambda _: True)

    async def _sent(
        self,
        key: ServerKey,
        used: RunningServer,
        server: ServerDescription,
        call: ServerCall,
        connection: SdkConnection,
        send: Callable[[SdkConnection], Awaitable[T]],
        *,
        repeat: bool,
    ) -> T:
        gone = (await _client_module()).ServerGone
        try:
            return await send(connection)
        except gone as error:
            failure = used.log.failure
            if error.may_have_begun and not repeat:
                raise _crashed(key, used, "It is started again by the next call.") from None
        call.notices.append(f"[!] {key.app} was restarted: {failure}")
        connection = await self._opened(key, used, server, call)
        try:
            return await send(connection)
        except gone:
            raise _crashed(key, used, "It was restarted, and has ended again.") from None

    async def _opened(
        self, key: ServerKey, used: RunningServer, server: ServerDescription, call: ServerCall
    ) -> SdkConnection:
        async with used.opening:
            if used.connection and used.connection.is_open and used.server == server:
                return used.connection
            if used.connection:
                await used.connection.close()
            if server.command:
                home = call.invocation.session.user.home
                await permit(ShellRun(text=shlex.join(server.command), directory=home))
            used.server, used.listing = server, None
            used.connection = await self._new_connection(key, used, call)
            async with call.limited(START_SECONDS, f"The start of {key.app}"):
                await used.connection.open(call)
            return used.connection

    async def _new_connection(self, key: ServerKey, used: RunningServer, call: ServerCall) -> SdkConnection:
        module = await _client_module()
        owner = token_owner(key.directory, used.server.url)
        connection: SdkConnection = module.SdkConnection(
            used.server,
            name=key.app,
            home=call.invocation.session.user.home,
            runtime=self._runtime,
            log=used.log,
            tokens=SecretScope(user_id=key.user_id, owner=owner, config=key.config),
            returns=self._returns,
            on_change=lambda: self._note_change(key, used, call),
        )
        return connection

    def _note_change(self, key: ServerKey, used: RunningServer, call: ServerCall) -> None:
        """Fetch the lists again, a moment later: further changes until then are fetched with this one."""
        if used.is_following:
            return
        used.is_following = True
        task = asyncio.get_running_loop().create_task(self._follow_change(key, used, call))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow_change(self, key: ServerKey, used: RunningServer, call: ServerCall) -> None:
        await asyncio.sleep(_MOMENT)
        used.is_following = False
        connection = used.connection
        if connection is None or not connection.is_open:
            return
        try:
            used.listing = await connection.listing(call)
        except Exception as error:
            used.log.note(f"its lists have changed, and cannot be read: {error}")
            return
        if self.on_change and not key.is_trial:
            await self.on_change(key, used.listing)

    def _plan_end(self, key: ServerKey, used: RunningServer) -> None:
        if used.users or self._servers.get(key) is not used:
            return
        seconds = self._runtime.settings(McpSettings).idle_seconds
        used.idle = asyncio.get_running_loop().call_later(seconds, self._end_idle, key, used)

    def _end_idle(self, key: ServerKey, used: RunningServer) -> None:
        if used.users or self._servers.get(key) is not used:
            return
        task = asyncio.get_running_loop().create_task(_close_all([used]))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _client_module() -> Any:
    """Import the SDK in a thread: it takes about a second."""
    return await asyncio.to_thread(importlib.import_module, "stringd_mcp.connections.sdk_connection")


async def _close_all(servers: Iterable[RunningServer]) -> None:
    for it in servers:
        if it.idle:
            it.idle.cancel()
    await asyncio.gather(*(it.connection.close() for it in servers if it.connection))


def _crashed(key: ServerKey, used: RunningServer, more: str) -> Refusal:
    message = f"{key.app} has ended while it worked: {used.log.failure or 'no reason is known'}"
    return Refusal(ErrorCode.ACTION_FAILED, message, *used.log.last_lines(), more)
