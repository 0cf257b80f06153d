"""Register what this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stringd.plugin import (
    CliCommand,
    Command,
    EventKind,
    Hook,
    Loader,
    PromptSource,
    Runtime,
    Service,
    TopicType,
    hookimpl,
)
from stringd_app.app_hook import App, stringd_apps
from stringd_app.app_prompts import app_prompts
from stringd_app.app_sources import AppSource, stringd_app_sources
from stringd_app.app_topic import ANY_APP, app_loader, open_app_topic
from stringd_app.apps_command import APPS
from stringd_app.apps_console.app_secrets import AppSecretChanged
from stringd_app.check_command import CHECK
from stringd_app.install_commands import INSTALL, UNINSTALL
from stringd_app.legacy_secrets import legacy_secret_binding
from stringd_app.listed_apps import installed_apps
from stringd_app.new_command import NEW

if TYPE_CHECKING:
    from stringd_console import ConsolePage


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
            trust_hint="/install URL, then /open app:name",
            secrets_hint=ANY_APP,
            names=installed_apps,
            brief="Installed apps; /apps lists them, /install PATH|URL adds one. In app:name, /act shows "
            "what it does; an app names the `$NAME`s that it needs, which the user sets with /set.",
        ),
    )


@hookimpl
def stringd_commands() -> Iterable[Command]:
    """Add the commands that list, install and uninstall apps."""
    return (APPS, INSTALL, UNINSTALL)


@hookimpl
def stringd_loaders(runtime: Runtime) -> Iterable[Loader]:
    """Add the loader of `app:` URIs."""
    return (app_loader(runtime),)


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Add the service that binds the secrets of earlier versions to their apps."""
    return (legacy_secret_binding(runtime),)


@hookimpl
def stringd_hooks() -> Iterable[Hook]:
    """Add the hooks with which other plugins provide apps, and kinds of sources of apps."""
    return (
        Hook(what="app", record=App, spec=stringd_apps),
        Hook(what="app-source", record=AppSource, spec=stringd_app_sources),
    )


@hookimpl
def stringd_prompts(runtime: Runtime) -> Iterable[PromptSource]:
    """Add the prompts of apps."""
    return (app_prompts(runtime),)


@hookimpl
def stringd_event_kinds() -> Iterable[EventKind]:
    """Add the event of values that a person sets for an app."""
    return (EventKind(event=AppSecretChanged),)


@hookimpl(optionalhook=True)
def stringd_console(runtime: Runtime) -> Iterable[ConsolePage]:
    """Add the page of apps to the console."""
    from stringd_app.apps_console.apps_page import apps_page

    return (apps_page(runtime),)


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add the subcommands for authors of apps."""
    return (CHECK, NEW)
