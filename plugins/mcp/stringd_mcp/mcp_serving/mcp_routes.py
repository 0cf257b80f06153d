"""The paths at which agents are served."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from starlette.routing import BaseRoute, Route, WebSocketRoute

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from stringd_mcp.mcp_serving.mcp_service import McpService

PATH = "/mcp"
SOCKET_PATH = "/mcp/stdio"


class _HttpEndpoint:
    """The ASGI application at `/mcp`; it is no function, so that every method gets to it."""

    def __init__(self, service: McpService) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._service.serve_http(scope, receive, send)


class _SocketEndpoint:
    """The ASGI application at `/mcp/stdio`."""

    def __init__(self, service: McpService) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._service.serve_socket(scope, receive, send)


def mcp_routes(service: McpService) -> Iterable[BaseRoute]:
    """Return the routes."""
    socket = _SocketEndpoint(service)
    return (
        Route(PATH, _HttpEndpoint(service)),
        WebSocketRoute(SOCKET_PATH, socket),
        Route(SOCKET_PATH, socket),
    )
