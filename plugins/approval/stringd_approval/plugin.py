"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from stringd.plugin import (
    BackgroundEffect,
    CliCommand,
    Command,
    HeadRecords,
    HealthField,
    Hook,
    Interceptor,
    Invocation,
    Proceed,
    Reply,
    Runtime,
    Service,
    Settings,
    StoredValues,
    Tool,
    hookimpl,
)
from stringd_approval.approval_service import approval_service
from stringd_approval.approval_settings import ApprovalSettings
from stringd_approval.audit.audit_command import AUDIT
from stringd_approval.audit.head_records import stringd_head_records as head_records_hook
from stringd_approval.policy.policy_command import POLICY
from stringd_approval.policy.stored_values import stringd_stored_values as stored_values_hook
from stringd_approval.requesting.execute_tool import execute_tool
from stringd_approval.requesting.request_command import REQUEST
from stringd_approval.requesting.request_subcommand import REQUEST as REQUEST_SUBCOMMAND

if TYPE_CHECKING:
    from starlette.routing import Route

    from stringd_console import ConsolePage


@hookimpl
def stringd_settings() -> Iterable[Settings]:
    """Declare the socket, and what is asked about and logged."""
    return (Settings(record=ApprovalSettings),)


@hookimpl
def stringd_hooks() -> Iterable[Hook]:
    """Add the hooks by which subcommands know what other plugins keep: heads of logs, and shared rules."""
    return (
        Hook(what="head-records", record=HeadRecords, spec=head_records_hook),
        Hook(what="stored-values", record=StoredValues, spec=stored_values_hook),
    )


@hookimpl
def stringd_commands() -> Iterable[Command]:
    """Add `/request`."""
    return (REQUEST,)


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Listen on the socket for requests."""
    return (Service(name="approval", run=approval_service(runtime).serve, required=True),)


@hookimpl
def stringd_health(runtime: Runtime) -> Iterable[HealthField]:
    """Add the state of policy, log and grants to `/status`."""
    return (HealthField(name="approval", read=approval_service(runtime).status),)


@hookimpl
def stringd_interceptors() -> Iterable[Interceptor]:
    """Add the gate before commands of topics, and before what plugins do outside of commands."""
    return (Interceptor(name="approval", run=_pass_command, concerns=_concerns, permit=_permit),)


@hookimpl
def stringd_routes(runtime: Runtime) -> Iterable[Route]:
    """Add the grants, and the rules that nodes share."""
    from stringd_approval.asking.grant_routes import grant_routes
    from stringd_approval.asking.rule_routes import rule_routes

    service = approval_service(runtime)
    withdraw = partial(service.withdraw_grant, through="api")
    grants = grant_routes(service.listed_grants, withdraw, runtime.questions)
    return [*grants, *rule_routes(lambda: service.rules, runtime.questions)]


@hookimpl
def stringd_tools(runtime: Runtime) -> Iterable[Tool]:
    """Add `execute`."""
    return (execute_tool(runtime),)


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add the subcommands."""
    return (AUDIT, POLICY, REQUEST_SUBCOMMAND)


@hookimpl(optionalhook=True)
def stringd_console(runtime: Runtime) -> Iterable[ConsolePage]:
    """Add the pages of the log, and of the grants and the policy."""
    from stringd_approval.console_pages.log_page import LogPage
    from stringd_approval.console_pages.policy_page import PolicyPage

    return (LogPage(runtime).page, PolicyPage(runtime).page)


def _concerns(invocation: Invocation) -> bool:
    return approval_service(invocation.runtime).concerns_commands()


async def _pass_command(invocation: Invocation, proceed: Proceed) -> Reply:
    return await approval_service(invocation.runtime).pass_command(invocation, proceed)


async def _permit(asked: BackgroundEffect) -> None:
    await approval_service(asked.runtime).permit(asked)
