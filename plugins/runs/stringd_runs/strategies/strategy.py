"""A strategy: its agents, and the flow in which they talk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from stringd.plugin import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAgent:
    """An agent that is a model with a prompt and tools; prompt files and templates are already read."""

    name: str
    description: str = ""
    model: str | None = None
    system_prompt: str = ""
    tools: tuple[str, ...] = ()
    provider_options: Mapping[str, Any] = field(default_factory=dict)
    model_options: Mapping[str, Any] = field(default_factory=dict)
    output_schema: Mapping[str, Any] | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    max_steps: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An agent that is a person."""

    name: str
    description: str = ""
    requires_input: bool = True
    preset_message: str | None = None
    asks_always: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeAgent:
    """An agent of a type that a plugin has registered."""

    name: str
    type: str
    description: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)


AgentDefinition: TypeAlias = ModelAgent | Person | CodeAgent


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStep:
    """A step of a flow that calls an agent."""

    agent: str
    description: str = ""

    @property
    def name(self) -> str:
        """The name of the step in events."""
        return self.agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Steps and the order of their calls; `options` are the keys of the flow's type."""

    name: str
    type: str
    steps: tuple[Step, ...]
    description: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


Step: TypeAlias = AgentStep | Flow


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """A strategy as read from its file; later changes of the file have no effect on it."""

    name: str
    version: str
    path: Path
    description: str = ""
    mcp_servers: Mapping[str, Any] = field(default_factory=dict)
    agents: Mapping[str, AgentDefinition]
    flow: Flow


class StrategyInvalid(Fault):
    """A strategy cannot be used; the text says why, then its path and line."""


def agent_steps(step: Step) -> Iterator[AgentStep]:
    """Return all steps of a flow, and of those nested in it, that call agents."""
    if isinstance(step, AgentStep):
        yield step
    else:
        for it in step.steps:
            yield from agent_steps(it)
