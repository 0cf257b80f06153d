"""The messages that clients send, as records; see docs/reference/run-messages.md."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Decision(StrEnum):
    """What a person has decided about a permission; for a session, it holds for the rest of the run."""

    ALLOW = "allow"
    DENY = "deny"
    ALLOW_SESSION = "allow-session"
    DENY_SESSION = "deny-session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A message of a client; its replies carry the same id."""

    request_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest(Request):
    """A message about one run."""

    run_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping(Request):
    """Ask for a sign of life."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareRun(Request):
    """Read a strategy for a new run, prepare the continuation of a run, or attach to one in flight."""

    strategy_path: str | None = None
    run_id: str | None = None
    model_override: str | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRun(RunRequest):
    """Start a prepared run."""

    input: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinueRun(RunRequest):
    """Start a prepared continuation."""

    input: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRun(RunRequest):
    """Stop a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SteerRun(RunRequest):
    """Queue a text for the next call of a model."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserInput(RunRequest):
    """Answer a person's step."""

    agent_name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribe(RunRequest):
    """Receive the events of a run from now on, or those after a number."""

    after_seq: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsubscribe(RunRequest):
    """Receive no more events of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListStrategies(Request):
    """List the runs in memory and the strategies that can be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRuns(Request):
    """List stored runs, of all working directories or of one."""

    cwd: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListProviders(Request):
    """List providers with their models, which are asked for them if the list should be `live`."""

    scope: str | None = None
    live: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GetAvailableModels(Request):
    """List models, all or those with a text in their ids."""

    model_id: str | None = None
    scope: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionDecision(RunRequest):
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
