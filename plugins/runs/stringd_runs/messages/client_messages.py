"""The messages that clients send, as records; see docs/reference/run-messages.md."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct


class Decision(StrEnum):
    """What a person has decided about a permission; for a session, it holds for the rest of the run."""

    ALLOW = "allow"
    DENY = "deny"
    ALLOW_SESSION = "allow-session"
    DENY_SESSION = "deny-session"


class Request(Struct, frozen=True, kw_only=True):
    """A message of a client; its replies carry the same id."""

    request_id: str | None = None


class RunRequest(Request, frozen=True, kw_only=True):
    """A message about one run."""

    run_id: str


class Ping(Request, frozen=True, kw_only=True):
    """Ask for a sign of life."""


class PrepareRun(Request, frozen=True, kw_only=True):
    """Read a strategy for a new run, prepare the continuation of a run, or attach to one in flight."""

    strategy_path: str | None = None
    run_id: str | None = None
    model_override: str | None = None
    cwd: str | None = None


class StartRun(RunRequest, frozen=True, kw_only=True):
    """Start a prepared run."""

    input: str = ""


class ContinueRun(RunRequest, frozen=True, kw_only=True):
    """Start a prepared continuation."""

    input: str


class StopRun(RunRequest, frozen=True, kw_only=True):
    """Stop a run."""


class SteerRun(RunRequest, frozen=True, kw_only=True):
    """Queue a text for the next call of a model."""

    text: str


class UserInput(RunRequest, frozen=True, kw_only=True):
    """Answer a person's step."""

    agent_name: str
    text: str


class Subscribe(RunRequest, frozen=True, kw_only=True):
    """Receive the events of a run from now on, or those after a number."""

    after_seq: int | None = None


class Unsubscribe(RunRequest, frozen=True, kw_only=True):
    """Receive no more events of a run."""


class ListStrategies(Request, frozen=True, kw_only=True):
    """List the runs in memory and the strategies that can be run."""


class ListRuns(Request, frozen=True, kw_only=True):
    """List stored runs, of all working directories or of one."""

    cwd: str | None = None


class ListProviders(Request, frozen=True, kw_only=True):
    """List providers with their models, which are asked for them if the list should be `live`."""

    scope: str | None = None
    live: bool = False


class GetAvailableModels(Request, frozen=True, kw_only=True):
    """List models, all or those with a text in their ids."""

    model_id: str | None = None
    scope: str | None = None


class PermissionDecision(RunRequest, frozen=True, kw_only=True):
    """Permit an operation of a tool, or not."""

    permission_request_id: str
    decision: Decision


ClientMessage: TypeAlias = (
    Ping
    | PrepareRun
    | StartRun
    | ContinueRun
    | StopRun
    | SteerRun
    | UserInput
    | Subscribe
    | Unsubscribe
    | ListStrategies
    | ListRuns
    | ListProviders
    | GetAvailableModels
    | PermissionDecision
)
