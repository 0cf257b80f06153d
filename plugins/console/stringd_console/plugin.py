"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stringd.plugin import CliCommand, Hook, Runtime, Service, hookimpl
from stringd_console.access.console_command import CONSOLE
from stringd_console.console_page import OWN_PAGES, ConsolePage
from stringd_console.console_page import stringd_console as console_hook

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from stringd_console.console_service import ConsoleService


@hookimpl
def stringd_hooks() -> Iterable[Hook]:
    """Add the hook with which other plugins add pages."""
    return (Hook(what="console-page", record=ConsolePage, spec=console_hook, reserved=OWN_PAGES),)


@hookimpl
def stringd_routes(runtime: Runtime) -> Iterable[BaseRoute]:
    """Add everything below `/console`."""
    return _service_of(runtime).routes


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Show the operator a link as soon as the daemon listens."""
    return (Service(name="console", run=_service_of(runtime).greet_operator),)


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add `stringd console`."""
    return (CONSOLE,)


def _service_of(runtime: Runtime) -> ConsoleService:
    # Subcommands load this plugin, too: they need no routes.
    from stringd_console.console_service import console_service

    return console_service(runtime)
