"""Register what this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stringd.plugin import CliCommand, HealthField, Loader, Runtime, Service, Settings, hookimpl
from stringd.plugin.actions import ActionMethod
from stringd_app import AppSource
from stringd_mcp.apps.mcp_apps import mcp_apps
from stringd_mcp.client_setup.mcp_command import MCP
from stringd_mcp.client_setup.prompt_command import PROMPT
from stringd_mcp.mcp_settings import McpSettings

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from stringd_mcp.mcp_serving.mcp_service import McpService


@hookimpl
def stringd_settings() -> Iterable[Settings]:
    """Declare the settings."""
    return (Settings(record=McpSettings),)


@hookimpl
def stringd_action_methods(runtime: Runtime) -> Iterable[ActionMethod]:
    """Add the actions of apps that are MCP servers."""
    return mcp_apps(runtime).action_methods()


@hookimpl
def stringd_app_sources(runtime: Runtime) -> Iterable[AppSource]:
    """Add MCP servers as a kind of source of apps."""
    return (mcp_apps(runtime).source(),)


@hookimpl
def stringd_loaders(runtime: Runtime) -> Iterable[Loader]:
    """Add the loader of resources."""
    return (mcp_apps(runtime).loader(),)


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Add the server for agents, imported with the first of them, and the end of the servers of apps."""
    return (
        Service(name="mcp", run=_service_of(runtime).serve, stop_seconds=1.0),
        mcp_apps(runtime).service(),
    )


@hookimpl
def stringd_routes(runtime: Runtime) -> Iterable[BaseRoute]:
    """Add streamable HTTP, the WebSocket of `stringd mcp`, and where browsers return to after a sign-in."""
    from stringd_mcp.mcp_serving.mcp_routes import mcp_routes

    return (*mcp_routes(_service_of(runtime)), *mcp_apps(runtime).routes())


@hookimpl
def stringd_health(runtime: Runtime) -> Iterable[HealthField]:
    """Add the number of connected servers of apps to `/status`."""
    return (mcp_apps(runtime).health(),)


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add `stringd mcp` and `stringd prompt`."""
    return (MCP, PROMPT)


def _service_of(runtime: Runtime) -> McpService:
    from stringd_mcp.mcp_serving.mcp_service import mcp_service

    return mcp_service(runtime)
