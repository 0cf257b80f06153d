"""Register what this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from stringd.plugin import Runtime, hookimpl
from stringd.plugin.actions import ActionCall, ActionMethod, Answer
from stringd.plugin.documents import Action, Diagnostic
from stringd_app import AppSource, SourceApp, SourceFile, SourceRequest
from stringd_openapi.calling.consent_callback import PATH, consent_requests
from stringd_openapi.reading.description_text import LARGEST, is_description

if TYPE_CHECKING:
    from starlette.routing import BaseRoute


async def _run(call: ActionCall) -> Answer:
    # Importing it takes time that the start of the daemon need not spend.
    from stringd_openapi.calling.call_operation import call_operation

    return await call_operation(call)


def _describe(action: Action, package: Path | None) -> str:
    from stringd_openapi.calling.operation_help import describe_action

    return describe_action(action, package)


def _check(action: Action, package: Path | None) -> Iterable[Diagnostic]:
    from stringd_openapi.calling.operation_help import check_action

    return check_action(action, package)


async def _stage(request: SourceRequest) -> SourceApp:
    from stringd_openapi.installing.description_source import stage_description

    return await stage_description(request)


def _recognise(file: SourceFile) -> bool:
    return file.media_type != "text/html" and not file.name.endswith(".md") and is_description(file.data)


@hookimpl
def stringd_app_sources() -> Iterable[AppSource]:
    """Add descriptions of OpenAPI as sources of apps."""
    return (
        AppSource(
            name="openapi",
            usage="/install URL | openapi.json | openapi.yaml [--as name] [--server URL] [--replace]",
            stage=_stage,
            recognise=_recognise,
            options={"--server": "the URL that all calls go to, in place of the description's servers"},
            largest=LARGEST,
        ),
    )


@hookimpl
def stringd_routes(runtime: Runtime) -> Iterable[BaseRoute]:
    """Add the route to which services send the browser of a person who has consented."""
    from starlette.routing import Route

    return (Route(PATH, consent_requests(runtime).endpoint),)


@hookimpl
def stringd_action_methods() -> Iterable[ActionMethod]:
    """Add the method that calls operations of an OpenAPI description."""
    return (
        ActionMethod(
            name="openapi",
            summary="Calls an operation of an OpenAPI description.",
            run=_run,
            describe=_describe,
            check=_check,
            # Each request has a limit of its own, and a person may be asked for consent.
            seconds=None,
        ),
    )
