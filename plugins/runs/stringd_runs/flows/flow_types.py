"""The hook `stringd_flow_types` and its record: a way in which the steps of a flow are called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, TypeAlias

from stringd.plugin import hookspec

if TYPE_CHECKING:
    # Every daemon loads the hook, and few read strategies.
    from stringd_runs.strategies.flow_reading import ReadOption
    from stringd_runs.strategies.strategy import Flow, Step

OWN_FLOW_TYPES = frozenset({"sequential", "broadcast", "cycle", "function"})
"""The types of flows that no plugin can add."""
_KEYS = frozenset({"name", "type", "description", "steps"})
CallStep: TypeAlias = "Callable[[Step, str], Awaitable[str]]"
"""Gives a text to a step, and returns its result; steps can be called in parallel."""
RunFlow: TypeAlias = "Callable[[Flow, str, CallStep], Awaitable[str]]"
"""Runs a flow on a text, and returns its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowType:
    """A type of flows: how their steps are called, and which further keys they have.

    Each of the `options` is read from the file by its function; a flow has those that are given, in
    `flow.options`. To fail with a message for people, `run` raises `AgentFailed`.
    """

    name: str
    run: RunFlow = field(repr=False)
    summary: str = ""
    options: Mapping[str, ReadOption] = field(default_factory=dict, repr=False)
    required: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not iscoroutinefunction(self.run):
            raise TypeError(f"type of flow {self.name} needs an async function, not {self.run!r}")
        if taken := self.options.keys() & _KEYS:
            raise ValueError(f"type of flow {self.name} has an option that all flows have: {min(taken)}")
        if unknown := self.required - self.options.keys():
            raise ValueError(f"type of flow {self.name} requires an unknown option: {min(unknown)}")


@hookspec
def stringd_flow_types() -> Iterable[FlowType]:
    """Add types of flows."""
    return ()
