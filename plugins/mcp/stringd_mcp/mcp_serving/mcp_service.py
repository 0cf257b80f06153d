"""The MCP server of one daemon: nothing is imported before the first agent connects."""

from __future__ import annotations

import asyncio
import logging
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stringd.plugin import RequestRefused, Runtime, Unavailable
from stringd_mcp.mcp_serving.agent_access import ACCESS, AgentAccess, access_of

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from stringd_mcp.mcp_serving.agent_hosting import AgentHosting

log = logging.getLogger(__name__)

_HOSTING = "stringd_mcp.mcp_serving.agent_hosting"


class McpService:
    """Serves agents over HTTP and over the sockets of `stringd mcp`."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def serve(self) -> None:
        """Host agents from the first one on, until the daemon stops."""
        stopping = asyncio.create_task(self._runtime.stopping())
        wanted = asyncio.create_task(self._wanted.wait())
        try:
            await asyncio.wait({stopping, wanted}, return_when=asyncio.FIRST_COMPLETED)
            if wanted.done() and not stopping.done():
                await self._host(stopping)
        finally:
            stopping.cancel()
            wanted.cancel()

    async def serve_http(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request to the endpoint for streamable HTTP."""
        scope[ACCESS] = self._access(scope)
        await (await self._hosting()).serve_http(scope, receive, send)

    async def serve_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the connection of a `stringd mcp`."""
        if scope["type"] != "websocket":
            raise NotASocket("This is the WebSocket of `stringd mcp`; agents use /mcp.")
        access = self._access(scope)
        await (await self._hosting()).serve_socket(access, receive, send)

    def _access(self, scope: Scope) -> AgentAccess:
        """Return the access that a request asks for; its user is registered."""
        header = dict(scope["headers"]).get(b"x-user-id", b"").decode("latin-1")
        access = access_of(self._runtime, scope["query_string"], header)
        self._runtime.user(access.user_id)
        return access

    async def _hosting(self) -> AgentHosting:
        self._wanted.set()
        hosting = self._hosted.result() if self._hosted.done() else await asyncio.shield(self._hosted)
        if hosting is None:
            raise Unavailable("The daemon stops.")
        return hosting

    async def _host(self, stopping: asyncio.Task[None]) -> None:
        try:
            # Importing the SDK takes about a second of processor time.
            module = await asyncio.to_thread(import_module, _HOSTING)
            async with module.AgentHosting(self._runtime) as hosting:
                self._hosted.set_result(hosting)
                await stopping
        finally:
            if not self._hosted.done():
                self._hosted.set_result(None)

    @cached_property
    def _wanted(self) -> asyncio.Event:
        return asyncio.Event()

    @cached_property
    def _hosted(self) -> asyncio.Future[AgentHosting | None]:
        return asyncio.get_running_loop().create_future()


class NotASocket(RequestRefused):
    """A request without an upgrade."""


_services: WeakKeyDictionary[Runtime, McpService] = WeakKeyDictionary()


def mcp_service(runtime: Runtime) -> McpService:
    """Return the one service of a daemon."""
    service = _services.get(runtime)
    if service is None:
        service = _services[runtime] = McpService(runtime)
    return service
