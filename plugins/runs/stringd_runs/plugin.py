"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stringd.plugin import (
    CliCommand,
    Command,
    EventKind,
    HealthField,
    Hook,
    PromptSource,
    Runtime,
    Service,
    Settings,
    TopicType,
    hookimpl,
)
from stringd_runs.agents.agent_types import AgentType
from stringd_runs.agents.agent_types import stringd_agent_types as agent_types_hook
from stringd_runs.flows.flow_types import OWN_FLOW_TYPES, FlowType
from stringd_runs.flows.flow_types import stringd_flow_types as flow_types_hook
from stringd_runs.model_provider import ModelProvider
from stringd_runs.model_provider import stringd_model_providers as model_providers_hook
from stringd_runs.run_programs.run_command import RUN
from stringd_runs.run_programs.runs_command import RUNS
from stringd_runs.run_topic.run_commands import RUN_COMMANDS
from stringd_runs.run_topic.run_topic_type import run_topic_type
from stringd_runs.running.run_event_kinds import RUN_EVENT_KINDS
from stringd_runs.runs_settings import RunsSettings
from stringd_runs.serving.health_fields import health_fields
from stringd_runs.strategies.strategy_format import OWN_FORMATS, StrategyFormat
from stringd_runs.strategies.strategy_format import stringd_strategy_formats as strategy_formats_hook

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from stringd_console import ConsolePage
    from stringd_runs.runs_service import RunsService


@hookimpl
def stringd_hooks() -> Iterable[Hook]:
    """Add the hooks with which other plugins extend runs."""
    return (
        Hook(what="provider", record=ModelProvider, spec=model_providers_hook),
        Hook(what="agent-type", record=AgentType, spec=agent_types_hook),
        Hook(what="flow-type", record=FlowType, spec=flow_types_hook, reserved=OWN_FLOW_TYPES),
        Hook(what="strategy-format", record=StrategyFormat, spec=strategy_formats_hook, reserved=OWN_FORMATS),
    )


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Add the life of all runs: their histories are closed at the start, they are stopped at the end."""
    return (Service(name="runs", run=_service_of(runtime).serve, stop_seconds=3.0),)


@hookimpl
def stringd_routes(runtime: Runtime) -> Iterable[BaseRoute]:
    """Add the WebSocket; requests without an upgrade are refused there."""
    from starlette.routing import Route, WebSocketRoute

    from stringd_runs.serving.run_endpoint import PATH

    endpoint = _service_of(runtime).endpoint
    return (WebSocketRoute(PATH, endpoint), Route(PATH, endpoint))


@hookimpl
def stringd_health(runtime: Runtime) -> Iterable[HealthField]:
    """Add what clients of the WebSocket look for in `/health`."""
    service = _service_of(runtime)
    return health_fields(lambda: service.active, lambda: service.endpoint.connected)


@hookimpl
def stringd_settings() -> Iterable[Settings]:
    """Declare what can be set of runs."""
    return (Settings(record=RunsSettings),)


@hookimpl
def stringd_topic_types() -> Iterable[TopicType]:
    """Add topics that are runs."""
    return (run_topic_type(lambda runtime: _service_of(runtime).runs),)


@hookimpl
def stringd_commands() -> Iterable[Command]:
    """Add the commands of these topics."""
    return RUN_COMMANDS


@hookimpl
def stringd_event_kinds() -> Iterable[EventKind]:
    """Add the events of runs."""
    return RUN_EVENT_KINDS


@hookimpl
def stringd_prompts(runtime: Runtime) -> Iterable[PromptSource]:
    """Add strategies as prompts."""
    from stringd_runs.strategies.strategy_prompts import strategy_prompts

    return (strategy_prompts(runtime),)


@hookimpl(optionalhook=True)
def stringd_console(runtime: Runtime) -> Iterable[ConsolePage]:
    """Add the page of runs to the console."""
    from stringd_runs.run_pages.runs_page import runs_page

    return (runs_page(runtime, _service_of(runtime)),)


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add `stringd run` and `stringd runs`."""
    return (RUN, RUNS)


def _service_of(runtime: Runtime) -> RunsService:
    # Subcommands load this plugin, too: they need neither a server nor an event loop.
    from stringd_runs.runs_service import runs_service

    return runs_service(runtime)
