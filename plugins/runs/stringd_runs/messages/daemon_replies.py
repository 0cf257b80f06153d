"""What the daemon answers to messages of clients, as records; see docs/reference/run-messages.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

from msgspec import Struct

from stringd_runs.model_provider import CredentialType


class RunErrorCode(StrEnum):
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


class PastConversation(Struct, frozen=True, kw_only=True):
    """What was said in earlier executions of a run."""

    records: Sequence[Mapping[str, Any]] = ()
    retention_events: Sequence[Mapping[str, Any]] = ()
    inputs: Sequence[Mapping[str, Any]] = ()


class RunSummary(Struct, frozen=True, kw_only=True):
    """A run in a list; times are ISO 8601."""

    run_id: str
    strategy_name: str
    status: RunStatus
    started_at: str
    completed_at: str | None = None


class ListedModel(Struct, frozen=True, kw_only=True):
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


class ListedProvider(Struct, frozen=True, kw_only=True):
    """A provider in a list."""

    id: str
    name: str
    credential_type: CredentialType
    auth_status: str
    models: Sequence[ListedModel]
    models_source: str
    is_custom: bool
    error: str | None = None


class Pong(Struct, frozen=True, kw_only=True):
    """The answer to a ping."""

    type: ClassVar[str] = "pong"


class RunPrepared(Struct, frozen=True, kw_only=True):
    """A run can be started or continued, or is in flight; the sender has subscribed to it."""

    type: ClassVar[str] = "run_prepared"
    run_id: str
    strategy_name: str
    agents: Sequence[str]
    flow_tree: Mapping[str, Any]
    conversation: PastConversation = PastConversation()
    mcp_servers: Sequence[Mapping[str, Any]] = ()


class StrategyList(Struct, frozen=True, kw_only=True):
    """The runs in memory, and the strategies that can be run."""

    type: ClassVar[str] = "strategy_list"
    runs: Sequence[RunSummary]
    available: Sequence[Mapping[str, Any]] = ()


class RunList(Struct, frozen=True, kw_only=True):
    """Stored runs, the newest first."""

    type: ClassVar[str] = "run_list"
    runs: Sequence[RunSummary]


class ProviderList(Struct, frozen=True, kw_only=True):
    """Providers, by id."""

    type: ClassVar[str] = "provider_list"
    providers: Sequence[ListedProvider]


class AvailableModels(Struct, frozen=True, kw_only=True):
    """Models, by id."""

    type: ClassVar[str] = "available_models"
    models: Sequence[ListedModel]


class ErrorReply(Struct, frozen=True, kw_only=True):
    """A message cannot be understood or carried out."""

    type: ClassVar[str] = "error"
    code: RunErrorCode
    message: str


Reply: TypeAlias = Pong | RunPrepared | StrategyList | RunList | ProviderList | AvailableModels | ErrorReply
