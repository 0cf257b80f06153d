"""Register what this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stringd.plugin import CliCommand, Runtime, Service, hookimpl
from stringd_mcp.connecting.mcp_command import MCP
from stringd_mcp.connecting.prompt_command import PROMPT

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from stringd_mcp.mcp_serving.mcp_service import McpService


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Add the server for agents, which is imported with the first of them."""
    return (Service(name="mcp", run=_service_of(runtime).serve, stop_seconds=1.0),)


@hookimpl
def stringd_routes(runtime: Runtime) -> Iterable[BaseRoute]:
    """Add the endpoint for streamable HTTP, and the WebSocket of `stringd mcp`."""
    from stringd_mcp.mcp_serving.mcp_routes import mcp_routes

    return mcp_routes(_service_of(runtime))


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add `stringd mcp` and `stringd prompt`."""
    return (MCP, PROMPT)


def _service_of(runtime: Runtime) -> McpService:
    from stringd_mcp.mcp_serving.mcp_service import mcp_service

    return mcp_service(runtime)
