"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stringd.plugin import CliCommand, EventKind, Hook, Interceptor, Observer, Runtime, Service, hookimpl
from stringd_console.access.console_command import CONSOLE
from stringd_console.access.signed_in_browsers import BrowserSignedIn, BrowserSignedOut
from stringd_console.console_page import OWN_PAGES, ConsolePage
from stringd_console.console_page import stringd_console as console_hook
from stringd_console.topic_pages.journal_recording import ENDS, forget_ended, is_recorded, record
from stringd_console.topic_screen import TopicScreen, stringd_console_screens

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from stringd_console.console_service import ConsoleService


@hookimpl
def stringd_hooks() -> Iterable[Hook]:
    """Add the hooks with which other plugins add pages, and screens to the pages of topics."""
    return (
        Hook(what="console-page", record=ConsolePage, spec=console_hook, reserved=OWN_PAGES),
        Hook(what="console-screen", record=TopicScreen, spec=stringd_console_screens),
    )


@hookimpl
def stringd_routes(runtime: Runtime) -> Iterable[BaseRoute]:
    """Add everything below `/console`."""
    return _service_of(runtime).routes


@hookimpl
def stringd_interceptors() -> Iterable[Interceptor]:
    """Record what is sent to topics, and what they answer, before anything else can hold it up."""
    before = frozenset({"approval"})
    return (Interceptor(name="console", run=record, concerns=is_recorded, before=before),)


@hookimpl
def stringd_observers() -> Iterable[Observer]:
    """Forget what was sent to topics that have ended."""
    return (Observer(name="console", on_event=forget_ended, kinds=ENDS),)


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Show the operator a link as soon as the daemon listens, and keep the journal from then on."""
    return (Service(name="console", run=_service_of(runtime).begin),)


@hookimpl
def stringd_event_kinds() -> Iterable[EventKind]:
    """Add the events of browsers that sign in and out."""
    return (EventKind(event=BrowserSignedIn), EventKind(event=BrowserSignedOut))


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add `stringd console`."""
    return (CONSOLE,)


def _service_of(runtime: Runtime) -> ConsoleService:
    # Subcommands load this plugin, too: they need no routes.
    from stringd_console.console_service import console_service

    return console_service(runtime)
