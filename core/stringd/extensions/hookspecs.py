"""The hooks. Each is called once at start, is synchronous, and returns records of one kind.

Anything that is awaited is a callable inside a record.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

from stringd.api.cli import CliCommand
from stringd.api.commands import Command, Interceptor
from stringd.api.documents import Loader, Renderer
from stringd.api.doors import Door
from stringd.api.event_interfaces import EventKind, Observer
from stringd.api.health import HealthField
from stringd.api.hooks import Hook
from stringd.api.offered_prompts import PromptSource
from stringd.api.offered_tools import Tool
from stringd.api.runtime import Runtime, Service
from stringd.api.settings import Settings
from stringd.api.stores import Stores
from stringd.api.topic_types import TopicType
from stringd.config import Config

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

PROJECT = "stringd"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def stringd_topic_types(config: Config) -> Iterable[TopicType]:
    """Add topic types."""
    return ()


@hookspec
def stringd_commands() -> Iterable[Command]:
    """Add commands, for named topic types, for document topics, or for all."""
    return ()


@hookspec
def stringd_loaders(config: Config, runtime: Runtime) -> Iterable[Loader]:
    """Add URI schemes."""
    return ()


@hookspec
def stringd_renderers() -> Iterable[Renderer]:
    """Add media types that become documents."""
    return ()


@hookspec
def stringd_routes(runtime: Runtime) -> Iterable[BaseRoute]:
    """Add Starlette HTTP and WebSocket routes, to which the body limit, CORS and request guard apply."""
    return ()


@hookspec
def stringd_doors(runtime: Runtime) -> Iterable[Door]:
    """Add doors, which are in front of the request guard, and may have the daemon listen elsewhere."""
    return ()


@hookspec
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Add background services that live as long as the daemon."""
    return ()


@hookspec
def stringd_interceptors() -> Iterable[Interceptor]:
    """Add interceptors, which wrap every command and may refuse it or change its reply."""
    return ()


@hookspec
def stringd_observers() -> Iterable[Observer]:
    """Add observers, which are notified of events."""
    return ()


@hookspec
def stringd_event_kinds() -> Iterable[EventKind]:
    """Add kinds of events, which the plugin publishes with `Runtime.events`."""
    return ()


@hookspec
def stringd_health(runtime: Runtime) -> Iterable[HealthField]:
    """Add fields of `/health` and `/status`."""
    return ()


@hookspec
def stringd_cli() -> Iterable[CliCommand]:
    """Add subcommands of the `stringd` program."""
    return ()


@hookspec
def stringd_settings() -> Iterable[Settings]:
    """Declare the plugin's own settings, which can be read before any other hook is called."""
    return ()


@hookspec
def stringd_tools(runtime: Runtime) -> Iterable[Tool]:
    """Add tools that agents are offered beside topics."""
    return ()


@hookspec
def stringd_prompts(runtime: Runtime) -> Iterable[PromptSource]:
    """Add sources of prompts."""
    return ()


@hookspec
def stringd_stores(runtime: Runtime) -> Iterable[Stores]:
    """Replace what the daemon keeps its state in; only one plugin can."""
    return ()


@hookspec
def stringd_hooks() -> Iterable[Hook]:
    """Define hooks, which other plugins implement to extend this one."""
    return ()
