"""A strategy: its agents, and the flow in which they are called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct, field

from stringd.plugin import Fault
from stringd.plugin.text import printable


class ModelAgent(Struct, frozen=True, kw_only=True):
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


class Person(Struct, frozen=True, kw_only=True):
    """An agent that is a person."""

    name: str
    description: str = ""
    requires_input: bool = True
    preset_message: str | None = None
    asks_always: bool = False


class CodeAgent(Struct, frozen=True, kw_only=True):
    """An agent of a type that a plugin has registered."""

    name: str
    type: str
    description: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)


CallAgent: TypeAlias = Callable[[str, str], Awaitable[str]]
"""Gives a text to the agent of this name, and returns its answer."""
FlowFunction: TypeAlias = Callable[[str, CallAgent], Awaitable[str]]
"""A flow that is a function: given a text and a way to call agents, it returns the result."""
FUNCTION = "function"
"""The type of flows that are functions; no file can name it."""

AgentDefinition: TypeAlias = ModelAgent | Person | CodeAgent


class AgentStep(Struct, frozen=True, kw_only=True):
    """A step of a flow that calls an agent."""

    agent: str
    description: str = ""

    @property
    def name(self) -> str:
        """The name of the step in events."""
        return self.agent


class Flow(Struct, frozen=True, kw_only=True):
    """Steps and the order of their calls.

    `options` are the keys of the flow's type as their readers returned them; steps among them are called by
    the flow, too. A flow that is a function decides by itself which of the agents it calls.
    """

    name: str
    type: str
    steps: tuple[Step, ...]
    description: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    function: FlowFunction | None = None


Step: TypeAlias = AgentStep | Flow


class StrategyInvalid(Fault):
    """A strategy cannot be used; the text says why in one line, and in the next one where, unless it has."""

    def __init__(self, reason: str, path: Path, line: int | None = None) -> None:
        place = str(path) if line is None else f"{path}:{line}"
        super().__init__(printable(reason) if place in reason else f"{printable(reason)}\n{printable(place)}")
        self.reason = reason
        self.path = path
        self.line = line


class Strategy(Struct, frozen=True, kw_only=True):
    """A strategy as read from its file; later changes of the file have no effect on it."""

    name: str
    version: str
    path: Path
    description: str = ""
    mcp_servers: Mapping[str, Any] = field(default_factory=dict)
    agents: Mapping[str, AgentDefinition]
    flow: Flow
    approved_code: str | None = None
    """The SHA-256 of the file, if it is code that a person has approved."""
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    """The lines of the keys of the file, such as `("agents", "writer", "model")`."""

    def invalid(self, reason: str, *keys: str) -> StrategyInvalid:
        """Return the refusal of what these keys say, with their line."""
        known = (keys[:count] for count in range(len(keys), 0, -1))
        line = next((self.lines[it] for it in known if it in self.lines), None)
        return StrategyInvalid(reason, self.path, line)


def agent_steps(step: Step) -> Iterator[AgentStep]:
    """Return all steps of a flow, and of those nested in it, that call agents."""
    if isinstance(step, AgentStep):
        yield step
    else:
        for it in (*step.steps, *option_steps(step)):
            yield from agent_steps(it)


def option_steps(flow: Flow) -> Iterator[Step]:
    """Return the steps among the options of a flow, such as the observer of a cycle."""
    return (it for it in flow.options.values() if isinstance(it, AgentStep | Flow))
