"""Read the flows of a strategy: their steps, and the options of their types."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from stringd.plugin.strict_files import FileInvalid, Value
from stringd.plugin.workers import guarded_call
from stringd_runs.strategies.field_values import (
    filled_text,
    optional_text,
    plugin_failed,
    required,
    unknown_word,
)
from stringd_runs.strategies.strategy import FUNCTION, AgentStep, Flow, Step
from stringd_runs.strategies.strategy_format import FunctionNode

_FLOW_KEYS = ("name", "type", "description", "steps")
DEEPEST_FLOW = 20
_STEP_KEYS = ("agent", "description")

ReadStep: TypeAlias = Callable[[Value], Step]
"""Returns the step that a value describes, or the one of the agent that it names."""
ReadOption: TypeAlias = Callable[[Value, ReadStep], Any]
"""Returns an option of a flow, or raises `FileInvalid`."""


class FlowSyntax(Protocol):
    """What a type of flow says about the keys of such flows."""

    @property
    def options(self) -> Mapping[str, ReadOption]:
        """How the keys are read that flows of this type have beside those of all flows."""

    @property
    def required(self) -> Collection[str]:
        """The options that must be given."""


FlowTypes: TypeAlias = Mapping[str, FlowSyntax]


def read_flow(value: Value, agents: Collection[str], types: FlowTypes) -> Flow:
    """Return the flow of a strategy with these agents."""
    step = _Reading(tuple(agents), types).step(Value(value.node, "the flow"), 0)
    if isinstance(step, AgentStep):
        raise FileInvalid(value.line, "the flow must have a name, a type and steps; an agent alone is a step")
    return step


class _Reading(Struct, frozen=True):
    """What all flows of a strategy may refer to."""

    agents: tuple[str, ...]
    types: FlowTypes

    def step(self, value: Value, depth: int) -> Step:
        if isinstance(value.node, FunctionNode):
            return self._function(value.node)
        if "agent" in value.entries():
            return self._agent_step(value)
        if depth == DEEPEST_FLOW:
            raise FileInvalid(value.line, f"flows are nested more than {DEEPEST_FLOW} levels deep")
        return self._flow(value, depth)

    def _step_or_agent(self, value: Value, depth: int) -> Step:
        if value.is_scalar and not isinstance(value.node, FunctionNode):
            return AgentStep(agent=self._agent(value))
        return self.step(value, depth)

    def _flow(self, value: Value, depth: int) -> Flow:
        given = value.entries()
        if depth and not given.keys() & {"type", "steps"}:
            raise FileInvalid(
                value.line, f"{value.name} has neither an agent nor the type and steps of a flow"
            )
        syntax, type_name = self._type(required(given, "type", value))
        given = value.mapping((*_FLOW_KEYS, *syntax.options))
        name = filled_text(required(given, "name", value))
        for key in sorted(syntax.required):
            required(given, key, value)
        return Flow(
            name=name,
            type=type_name,
            description=optional_text(given.get("description")),
            steps=self._steps(required(given, "steps", value), name, depth + 1),
            options=self._options(given, syntax, depth + 1),
        )

    def _type(self, value: Value) -> tuple[FlowSyntax, str]:
        name = filled_text(value)
        if name not in self.types:
            raise unknown_word(name, self.types, value, "type of flow")
        return self.types[name], name

    def _steps(self, value: Value, flow: str, depth: int) -> tuple[Step, ...]:
        items = value.items()
        if not items:
            raise value.invalid("a list with at least one step")
        named = (Value(it.node, f"step {number} of {flow}") for number, it in enumerate(items, 1))
        return tuple(self.step(it, depth) for it in named)

    def _options(self, given: Mapping[str, Value], syntax: FlowSyntax, depth: int) -> Mapping[str, Any]:
        def read_step(value: Value) -> Step:
            return self._step_or_agent(value, depth)

        return {
            key: _option(read, given[key], read_step) for key, read in syntax.options.items() if key in given
        }

    def _agent_step(self, value: Value) -> AgentStep:
        given = value.mapping(_STEP_KEYS)
        description = optional_text(given.get("description"))
        return AgentStep(agent=self._agent(given["agent"]), description=description)

    def _agent(self, value: Value) -> str:
        name = value.text()
        if name not in self.agents:
            raise unknown_word(name, self.agents, value, "agent")
        return name

    def _function(self, node: FunctionNode) -> Flow:
        """Return a flow that is a function, which may call every agent."""
        if not inspect.iscoroutinefunction(node.function):
            raise FileInvalid(node.line, f"{node.text} is not an async function, so it cannot be a flow")
        steps = tuple(AgentStep(agent=it) for it in self.agents)
        return Flow(name=node.text, type=FUNCTION, steps=steps, function=node.function)


def _option(read: ReadOption, value: Value, read_step: ReadStep) -> Any:
    """Read an option with the function of a plugin, whose bugs are the fault of no strategy."""
    try:
        return guarded_call(read, value, read_step)
    except (FileInvalid, RecursionError):
        raise
    except Exception as error:
        raise plugin_failed(f"reading {value.name}", value, error) from error
