"""The hook `stringd_model_providers` and its records: calls of models, and what providers stream."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct, field

from stringd.plugin import Runtime, User, hookspec
from stringd_runs.agent_events import Text, Thinking, ThinkingEnd, ThinkingStart, ToolCall, Usage

MOST_RETRIES = 10
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


class CredentialType(StrEnum):
    """What a provider needs to be used."""

    API = "api"
    OAUTH = "oauth"
    CUSTOM = "custom"
    NONE = "none"


class Model(Struct, frozen=True, kw_only=True):
    """A model of a provider, as lists describe it."""

    id: str
    name: str | None = None
    context_window: int | None = None
    max_output_tokens: int | None = None
    capabilities: Mapping[str, Any] | None = None
    cost: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id or not isinstance(self.name, str | None):
            raise TypeError(
                f"a model needs an id and a name that are texts, not {self.id!r} and {self.name!r}"
            )


class Tool(Struct, frozen=True, kw_only=True):
    """A tool that a model may call, with the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class UserMessage(Struct, frozen=True, kw_only=True):
    """A text for the model."""

    text: str


class ModelMessage(Struct, frozen=True, kw_only=True):
    """What the model has answered.

    `provider_data` is a JSON value that the provider wants back with the message, such as signed thinking.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    provider_data: Any = None


class ToolMessage(Struct, frozen=True, kw_only=True):
    """The result of a tool call."""

    call_id: str
    name: str
    output: str
    is_error: bool = False


Message: TypeAlias = UserMessage | ModelMessage | ToolMessage


class ModelCall(Struct, frozen=True, kw_only=True):
    """One request to a model. `model` is the part of the agent's `provider/model` after the slash."""

    model: str
    system: str
    messages: Sequence[Message]
    tools: Sequence[Tool] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    """The `modelOptions` of the agent: temperature, topP, topK, maxOutputTokens, seed and others."""
    provider_options: Mapping[str, Any] = field(default_factory=dict)
    """The agent's `providerOptions` for this provider."""
    output_schema: Mapping[str, Any] | None = None
    user: User
    run_id: str
    agent: str
    turn: int = 1
    """How many requests the model has got in the agent's conversation, with this one."""
    step: int = 1
    """The number of the request within the agent's call: greater than 1 when it brings results of tools."""


class Finished(Struct, frozen=True, kw_only=True):
    """The end of a stream."""

    usage: Usage = field(default_factory=Usage)
    finish_reason: str = "stop"
    provider_data: Any = None


ProviderEvent: TypeAlias = Text | ThinkingStart | Thinking | ThinkingEnd | ToolCall | Finished
"""What a provider streams: pieces, whole tool calls, and one `Finished` at the end."""

StreamModel: TypeAlias = Callable[[ModelCall], AsyncGenerator[ProviderEvent, None]]


class ProviderFailed(Exception):
    """A provider cannot answer; the text says why, without secrets.

    A transient failure may be tried again, after `retry_after` seconds if the provider has said so.
    """

    def __init__(self, message: str, *, is_transient: bool = False, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.is_transient = is_transient
        self.retry_after = retry_after


class ModelProvider(Struct, frozen=True, kw_only=True):
    """A provider of models. Closing the iterator that `stream` returns cancels the request.

    Retries, time limits, the loop of tools and sums of tokens are not the provider's business.
    """

    name: str
    """The id: what stands before the slash in `provider/model`."""
    title: str
    stream: StreamModel
    models: Sequence[Model] = ()
    """The models that are known without asking the provider."""
    list_models: Callable[[User], Awaitable[Sequence[Model]]] | None = None
    """Asks the provider for the models that this user can use; raises `ProviderFailed`."""
    credential_type: CredentialType = CredentialType.NONE
    is_configured: Callable[[User], bool] = lambda _: True
    key_hint: str = ""
    """What to do if it is not configured, such as `set EXAMPLE_API_KEY`."""
    check: Callable[[str, Mapping[str, Any]], None] = lambda *_: None
    """Raises `ProviderFailed` when a run is prepared, if a model with these `providerOptions` cannot work."""
    is_custom: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ValueError(f"a provider needs a lower-case name without slashes, not {self.name!r}")
        if not callable(self.stream):
            raise TypeError(f"the provider {self.name} needs a function that streams, not {self.stream!r}")


@hookspec
def stringd_model_providers(runtime: Runtime) -> Iterable[ModelProvider]:
    """Add providers of models."""
    return ()
