"""What an agent reports while it answers, and the result of a call."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Usage(Struct, frozen=True, kw_only=True):
    """The tokens that calls of models took."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


class ContextUsage(Struct, frozen=True, kw_only=True):
    """How much of a model's context the last request of a call took."""

    tokens: int
    context_window: int | None = None


class AgentResult(Struct, frozen=True, kw_only=True):
    """The result of one call of an agent."""

    text: str
    usage: Usage = Usage()
    context_usage: ContextUsage | None = None
    finish_reason: str = "stop"

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or not isinstance(self.usage, Usage):
            raise TypeError(
                f"a result needs a text and a Usage, not {type(self.text).__name__} and"
                f" {type(self.usage).__name__}"
            )


class Text(Struct, frozen=True, kw_only=True):
    """A piece of the answer."""

    text: str


class ThinkingStart(Struct, frozen=True, kw_only=True):
    """The model begins thinking."""

    id: str


class Thinking(Struct, frozen=True, kw_only=True):
    """A piece of what the model thinks."""

    id: str
    text: str


class ThinkingEnd(Struct, frozen=True, kw_only=True):
    """The model ends thinking."""

    id: str


class ToolCall(Struct, frozen=True, kw_only=True):
    """A tool is called; `arguments` are the text of a JSON value, as the model wrote it."""

    id: str
    name: str
    arguments: str


class ToolResult(Struct, frozen=True, kw_only=True):
    """A tool has answered, or failed with an error."""

    id: str
    name: str
    output: str
    error: str | None = None


class StepStart(Struct, frozen=True, kw_only=True):
    """A request to the model begins; after the first one of a call, with the results of tools."""


class Done(Struct, frozen=True, kw_only=True):
    """The call has ended."""

    result: AgentResult


AgentEvent: TypeAlias = (
    Text | ThinkingStart | Thinking | ThinkingEnd | ToolCall | ToolResult | StepStart | Done
)
