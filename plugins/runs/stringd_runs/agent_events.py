"""What an agent reports while it answers, and the result of a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The tokens that calls of models took."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextUsage:
    """How much of a model's context the last request of a call took."""

    tokens: int
    context_window: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResult:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingStart:
    """The model begins thinking."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """A piece of what the model thinks."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingEnd:
    """The model ends thinking."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool is called; `arguments` are the text of a JSON value, as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """A tool has answered, or failed with an error."""

    id: str
    name: str
    output: str
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStart:
    """A request to the model begins; after the first one of a call, with the results of tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The call has ended."""

    result: AgentResult


AgentEvent: TypeAlias = (
    Text | ThinkingStart | Thinking | ThinkingEnd | ToolCall | ToolResult | StepStart | Done
)
