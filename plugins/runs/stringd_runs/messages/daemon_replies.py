"""What the daemon answers to messages of clients, as records; see docs/reference/run-messages.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

from stringd_runs.model_provider import CredentialType


class ErrorCode(StrEnum):
    """The codes of `error` and of `strategy_error`."""

    PARSE_ERROR = "PARSE_ERROR"
    VALIDATION_ERROR = "VALIDATION_ERROR"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    PREPARE_FAILED = "PREPARE_FAILED"
    START_FAILED = "START_FAILED"
    CONTINUE_FAILED = "CONTINUE_FAILED"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    CANCELLED = "CANCELLED"
    NO_PENDING_INPUT = "NO_PENDING_INPUT"
    NO_PENDING_PERMISSION = "NO_PENDING_PERMISSION"
    RUN_NOT_STEERABLE = "RUN_NOT_STEERABLE"
    SUBSCRIBE_ERROR = "SUBSCRIBE_ERROR"


class RunStatus(StrEnum):
    """The states of a run."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    ERROR = "error"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What was said in earlier executions of a run."""

    records: Sequence[Mapping[str, Any]] = ()
    retention_events: Sequence[Mapping[str, Any]] = ()
    inputs: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run in a list; times are ISO 8601."""

    run_id: str
    strategy_name: str
    status: RunStatus
    started_at: str
    completed_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """A model in a list; `has_credentials` and the providers are in lists of available models only."""

    id: str
    name: str | None = None
    context_window: int | None = None
    max_output_tokens: int | None = None
    capabilities: Mapping[str, Any] | None = None
    cost: Mapping[str, Any] | None = None
    has_credentials: bool | None = None
    providers: Sequence[str] | None = None
    configured_providers: Sequence[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedProvider:
    """A provider in a list."""

    id: str
    name: str
    credential_type: CredentialType
    auth_status: str
    models: Sequence[ListedModel]
    models_source: str
    is_custom: bool
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pong:
    """The answer to a ping."""

    type: ClassVar[str] = "pong"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPrepared:
    """A run can be started or continued, or is in flight; the sender has subscribed to it."""

    type: ClassVar[str] = "run_prepared"
    run_id: str
    strategy_name: str
    agents: Sequence[str]
    flow_tree: Mapping[str, Any]
    conversation: Conversation = Conversation()
    mcp_servers: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyList:
    """The runs in memory, and the strategies that can be run."""

    type: ClassVar[str] = "strategy_list"
    runs: Sequence[RunSummary]
    available: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunList:
    """Stored runs, the newest first."""

    type: ClassVar[str] = "run_list"
    runs: Sequence[RunSummary]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderList:
    """Providers, by id."""

    type: ClassVar[str] = "provider_list"
    providers: Sequence[ListedProvider]


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableModels:
    """Models, by id."""

    type: ClassVar[str] = "available_models"
    models: Sequence[ListedModel]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReply:
    """A message cannot be understood or carried out."""

    type: ClassVar[str] = "error"
    code: ErrorCode
    message: str


Reply: TypeAlias = Pong | RunPrepared | StrategyList | RunList | ProviderList | AvailableModels | ErrorReply
