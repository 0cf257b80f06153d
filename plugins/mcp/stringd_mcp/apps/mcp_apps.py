"""What the plugin registers for apps; everything behind it is imported when it is first used."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stringd.plugin import (
    EventFilter,
    HealthField,
    LoadedBytes,
    Loader,
    LoadRequest,
    Runtime,
    Service,
    Session,
    User,
    UserRemoved,
)
from stringd.plugin.actions import ActionCall, ActionMethod, Answer
from stringd.plugin.documents import Action, Diagnostic
from stringd_app import AppSource, SourceApp, SourceRequest
from stringd_mcp.apps.method_names import CONNECT_METHOD, METHOD, PROMPT_METHOD, USAGE

if TYPE_CHECKING:
    from starlette.routing import Route

    from stringd_mcp.apps.app_servers import AppServers
    from stringd_mcp.apps.resource_loader import ResourceLoader
    from stringd_mcp.apps.tool_calls import ServerCalls
    from stringd_mcp.connections.sign_in_returns import SignInReturns

SCHEME = "mcp"


class McpApps:
    """The apps of a daemon that are MCP servers."""

    def __init__(self, runtime: Runtime) -> None:
        # The daemon keeps its records, which keep this.
        self._runtime = weakref.proxy(runtime)
        self._servers: AppServers | None = None
        self._returns: SignInReturns | None = None

    def action_methods(self) -> Iterable[ActionMethod]:
        """Return the methods of the actions of such apps, which have time limits of their own."""
        return (
            ActionMethod(
                name=METHOD,
                summary="Calls a tool of the MCP server that the app is.",
                run=self._call_tool,
                describe=_describe,
                check=_check,
                seconds=None,
            ),
            ActionMethod(
                name=PROMPT_METHOD,
                summary="Gets a prompt of the MCP server that the app is.",
                run=self._get_prompt,
                seconds=None,
            ),
            ActionMethod(
                name=CONNECT_METHOD,
                summary="Starts the MCP server that the app is, and lists its tools.",
                run=self._connect,
                seconds=None,
            ),
        )

    def source(self) -> AppSource:
        """Return the kind of source that `/install mcp` makes apps of."""
        return AppSource(name="mcp", usage=USAGE, stage=self._stage, info=self._info, removed=self._removed)

    def loader(self) -> Loader:
        """Return the loader of the resources of such apps."""
        return Loader(schemes=(SCHEME,), load=self._load, adopts=self._adopts)

    def service(self) -> Service:
        """Return the service that ends servers with their users, and all of them with the daemon."""
        return Service(name="mcp-apps", run=self._serve, stop_seconds=3.0)

    def health(self) -> HealthField:
        """Return the number of connected servers."""
        return HealthField(name="mcpServers", read=lambda: self._servers.pool.running if self._servers else 0)

    def routes(self) -> Iterable[Route]:
        """Return the route that browsers return to after a sign-in."""
        from stringd_mcp.connections.sign_in_returns import SignInReturns

        self._returns = SignInReturns()
        return (self._returns.route(),)

    def servers(self) -> AppServers:
        """Return the servers."""
        if self._servers is None:
            from stringd_mcp.apps.app_servers import AppServers
            from stringd_mcp.connections.server_pool import ServerPool
            from stringd_mcp.connections.sign_in_returns import SignInReturns

            returns = self._returns or SignInReturns()
            self._servers = AppServers(self._runtime, ServerPool(self._runtime, returns))
        return self._servers

    def _calls(self) -> ServerCalls:
        from stringd_mcp.apps.tool_calls import ServerCalls

        return ServerCalls(runtime=self._runtime, servers=self.servers())

    def _resources(self) -> ResourceLoader:
        from stringd_mcp.apps.resource_loader import ResourceLoader

        return ResourceLoader(runtime=self._runtime, servers=self.servers())

    async def _call_tool(self, call: ActionCall) -> Answer:
        return await self._calls().call_tool(call)

    async def _get_prompt(self, call: ActionCall) -> Answer:
        return await self._calls().get_prompt(call)

    async def _connect(self, call: ActionCall) -> Answer:
        return await self._calls().connect(call)

    async def _stage(self, request: SourceRequest) -> SourceApp:
        from stringd_mcp.apps.server_install import stage_server

        return await stage_server(request, self.servers().pool)

    def _info(self, session: Session, directory: Path) -> Mapping[str, str]:
        from stringd_mcp.apps.server_info import server_info

        return server_info(session, directory, self.servers().pool)

    async def _removed(self, user: User, directory: Path) -> None:
        await self.servers().forget(user, directory)

    async def _load(self, wanted: LoadRequest) -> LoadedBytes:
        return await self._resources().load(wanted)

    def _adopts(self, wanted: LoadRequest) -> bool:
        return self._resources().adopts(wanted)

    async def _serve(self) -> None:
        try:
            with self._runtime.events.watch(EventFilter(kinds={UserRemoved.kind})) as events:
                async for published in events:
                    await self._end_of(published.event.user_id)
        finally:
            if self._servers:
                await self._servers.pool.close()

    async def _end_of(self, user_id: str | None) -> None:
        """End the servers of a user who was removed, but not of one who has been given the same id since."""
        since = {it.created_at for it in self._runtime.users if it.id == user_id}
        if self._servers:
            await self._servers.pool.end(lambda it: it.user_id == user_id and it.user_since not in since)


_APPS: WeakKeyDictionary[Runtime, McpApps] = WeakKeyDictionary()


def mcp_apps(runtime: Runtime) -> McpApps:
    """Return the apps of a daemon, which all hooks share."""
    if runtime not in _APPS:
        _APPS[runtime] = McpApps(runtime)
    return _APPS[runtime]


def _describe(action: Action, package: Path | None) -> str:
    from stringd_mcp.apps.tool_calls import describe_tool

    return describe_tool(action, package)


def _check(action: Action, package: Path | None) -> Iterable[Diagnostic]:
    from stringd_mcp.apps.tool_calls import check_tool

    return check_tool(action, package)
