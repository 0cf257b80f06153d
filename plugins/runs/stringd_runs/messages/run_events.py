"""The events of runs, as records; see docs/reference/run-messages.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

from msgspec import Struct

from stringd_runs.agent_events import AgentEvent, AgentResult, ContextUsage, Usage
from stringd_runs.messages.daemon_replies import RunErrorCode


class StrategyStarted(Struct, frozen=True, kw_only=True):
    """An execution begins."""

    type: ClassVar[str] = "strategy_started"
    run_id: str
    strategy_name: str
    agents: Sequence[str]
    flow_tree: Mapping[str, Any]


class StrategyResumed(Struct, frozen=True, kw_only=True):
    """An execution that was interrupted goes on after its last finished calls of agents."""

    type: ClassVar[str] = "strategy_resumed"
    run_id: str
    strategy_name: str
    finished_calls: int


class StepStarted(Struct, frozen=True, kw_only=True):
    """A top-level step begins with the text that it is given."""

    type: ClassVar[str] = "step_started"
    run_id: str
    step_name: str
    message: str


class AgentStreaming(Struct, frozen=True, kw_only=True):
    """A model agent does something."""

    type: ClassVar[str] = "agent_streaming"
    run_id: str
    agent_name: str
    model: str | None = None
    context_window: int | None = None
    event: AgentEvent


class AgentOutput(Struct, frozen=True, kw_only=True):
    """The whole answer of a model agent."""

    type: ClassVar[str] = "agent_output"
    run_id: str
    agent_name: str
    model: str | None = None
    context_window: int | None = None
    text: str
    usage: Usage
    cost: float | None = None
    context_usage: ContextUsage | None = None


class StepCompleted(Struct, frozen=True, kw_only=True):
    """A top-level step has ended."""

    type: ClassVar[str] = "step_completed"
    run_id: str
    step_name: str
    result: AgentResult


class RequestInput(Struct, frozen=True, kw_only=True):
    """A person is asked."""

    type: ClassVar[str] = "request_input"
    run_id: str
    agent_name: str
    prompt: str


class RequestPermission(Struct, frozen=True, kw_only=True):
    """A person is asked whether a tool may do something; the id is the daemon's own."""

    type: ClassVar[str] = "request_permission"
    run_id: str
    request_id: str
    agent_name: str
    tool_name: str
    operation: str
    resource: str
    reason: str
    details: Mapping[str, Any] | None = None


class SteerQueued(Struct, frozen=True, kw_only=True):
    """A text waits for the next call of a model."""

    type: ClassVar[str] = "steer_queued"
    run_id: str
    text: str


class StrategyCompleted(Struct, frozen=True, kw_only=True):
    """An execution has ended with a result."""

    type: ClassVar[str] = "strategy_completed"
    run_id: str
    result: str
    usage: Usage
    unused_steering: Sequence[str] | None = None


class RunError(Struct, frozen=True, kw_only=True):
    """Why an execution has ended without a result."""

    code: RunErrorCode
    message: str


class StrategyError(Struct, frozen=True, kw_only=True):
    """An execution has failed or was stopped."""

    type: ClassVar[str] = "strategy_error"
    run_id: str
    error: RunError


RunEvent: TypeAlias = (
    StrategyStarted
    | StrategyResumed
    | StepStarted
    | AgentStreaming
    | AgentOutput
    | StepCompleted
    | RequestInput
    | RequestPermission
    | SteerQueued
    | StrategyCompleted
    | StrategyError
)


class EncodedEvent(Struct, frozen=True):
    """An event as all subscribers get it; a slow one may miss pieces of text, and nothing else."""

    seq: int
    data: bytes
    is_piece: bool


class Subscriber(Protocol):
    """Something that follows a run."""

    @property
    def is_operator(self) -> bool:
        """Whether it brings the operator's token, and so may decide about permissions."""

    def deliver(self, event: EncodedEvent) -> None:
        """Take an event, at once."""

    async def drained(self) -> None:
        """Return once there is room for many events that have been stored."""
