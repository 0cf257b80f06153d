"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import CliCommand, Command, Hook, Loader, Runtime, Service, TopicType, hookimpl
from stringd_app.check_command import CHECK
from stringd_app.earlier_keys import binding
from stringd_app.installing import INSTALL, UNINSTALL
from stringd_app.loader import app_loader
from stringd_app.new_command import NEW
from stringd_app.records import App, stringd_apps
from stringd_app.topic import open_app_topic


@hookimpl
def stringd_topic_types() -> Iterable[TopicType]:
    """Add `app:name` topics."""
    return (
        TopicType(
            name="app",
            summary="Apps: documents that act.",
            open=open_app_topic,
            documents=True,
            takes_config=True,
        ),
    )


@hookimpl
def stringd_commands() -> Iterable[Command]:
    """Add what installs apps and removes them."""
    return (INSTALL, UNINSTALL)


@hookimpl
def stringd_loaders(runtime: Runtime) -> Iterable[Loader]:
    """Add the URIs of apps."""
    return (app_loader(runtime),)


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Add what binds the keys that earlier versions have kept."""
    return (binding(runtime),)


@hookimpl
def stringd_hooks() -> Iterable[Hook]:
    """Add the hook by which other plugins bring apps."""
    return (Hook(what="app", record=App, spec=stringd_apps),)


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add what helps those who write apps."""
    return (CHECK, NEW)
