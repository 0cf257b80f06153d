"""The hooks. Each is called once at start, is synchronous, and returns records of one kind.

Anything that is awaited is a callable inside a record.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

from stringd.config import Config
from stringd.contracts.cli import CliCommand
from stringd.contracts.commands import Command, Gate, Observer
from stringd.contracts.daemon import Daemon, Service
from stringd.contracts.documents import Loader, Renderer
from stringd.contracts.extensions import Hook
from stringd.contracts.topics import TopicType

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

PROJECT = "stringd"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def stringd_topic_types(config: Config) -> Iterable[TopicType]:
    """Add kinds of topic."""
    return ()


@hookspec
def stringd_commands() -> Iterable[Command]:
    """Add commands, for named topic types, for document topics, or for all."""
    return ()


@hookspec
def stringd_loaders(config: Config, daemon: Daemon) -> Iterable[Loader]:
    """Add URI schemes."""
    return ()


@hookspec
def stringd_renderers() -> Iterable[Renderer]:
    """Add media types that become documents."""
    return ()


@hookspec
def stringd_routes(daemon: Daemon) -> Iterable[BaseRoute]:
    """Add Starlette routes and WebSocket routes; the daemon's body cap, CORS and guards hold for them."""
    return ()


@hookspec
def stringd_services(daemon: Daemon) -> Iterable[Service]:
    """Add background services that live as long as the daemon."""
    return ()


@hookspec
def stringd_gates() -> Iterable[Gate]:
    """Add gates, which may refuse or hold a command before it runs."""
    return ()


@hookspec
def stringd_observers() -> Iterable[Observer]:
    """Add observers, which are told of every command that ended."""
    return ()


@hookspec
def stringd_cli() -> Iterable[CliCommand]:
    """Add subcommands of the `stringd` program."""
    return ()


@hookspec
def stringd_hooks() -> Iterable[Hook]:
    """Add hooks, which other plugins implement to extend this one."""
    return ()
