"""The steps of a flow, with what has happened to each of them in the present execution."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

AGENT = "agent"
CYCLE = "cycle"
_ROOT = "0"
_OWN_KEYS = frozenset({"type", "name", "description", "steps"})
_DEEPEST = 30


class NodeState(StrEnum):
    """What happens to a step."""

    IDLE = "idle"
    ACTIVE = "active"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class FlowNode(Struct, kw_only=True, eq=False):
    """A step: an agent, or a flow of steps. `extras` are further steps, such as the observer of a cycle."""

    key: str
    kind: str
    name: str
    description: str = ""
    steps: tuple[FlowNode, ...] = ()
    extras: Mapping[str, FlowNode] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    begun: int = 0
    completed: int = 0
    tokens: int = 0
    cost: float | None = None
    ending: NodeState | None = None
    """How it was interrupted, if it was."""

    @property
    def is_agent(self) -> bool:
        """Whether it is an agent."""
        return self.kind == AGENT

    @property
    def inner(self) -> tuple[FlowNode, ...]:
        """The steps, and those among the options."""
        return (*self.steps, *self.extras.values())

    @property
    def is_active(self) -> bool:
        """Whether it has begun and not ended."""
        return self.ending is None and (self.begun > self.completed or any(it.is_active for it in self.inner))

    @property
    def state(self) -> NodeState:
        """What happens to it, or has happened last."""
        if self.ending:
            return self.ending
        if self.is_active:
            return NodeState.ACTIVE
        if self.completed or (self.inner and all(it.state is NodeState.DONE for it in self.steps)):
            return NodeState.DONE
        return NodeState.IDLE

    @property
    def round(self) -> int:
        """In which round a cycle is; 0 before the first one."""
        return self.steps[0].calls if self.steps else 0

    @property
    def calls(self) -> int:
        """How often it has begun; a nested flow begins as often as its first step."""
        return self.begun or (self.steps[0].calls if self.steps else 0)

    def all(self) -> Iterator[FlowNode]:
        """Return this and all steps within."""
        yield self
        for it in self.inner:
            yield from it.all()

    def holds(self, key: str) -> bool:
        """Whether a step is this one, or within it."""
        return key == self.key or key.startswith(f"{self.key}.")

    def interrupt(self, message: str, *, has_failed: bool) -> None:
        """Note that the execution has ended, so that active steps have failed or were stopped."""
        active = [it for it in self.all() if it.is_active]
        agents = [it for it in active if it.is_agent]
        blamed = [it for it in agents if _is_named(it.name, message)] if len(agents) > 1 else agents
        failed = {it.key for it in blamed or agents} if has_failed else set()
        for node in active:
            is_failed = any(node.holds(key) for key in failed) or (has_failed and not agents)
            node.ending = NodeState.FAILED if is_failed else NodeState.STOPPED


def _is_named(name: str, message: str) -> bool:
    """Whether a message contains a name as a word of its own."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message) is not None


def flow_nodes(tree: Any) -> FlowNode:
    """Return the nodes of a flow tree, as messages of runs have it; raise `ValueError` for another value."""
    return _node(tree, _ROOT, 0)


def _node(tree: Any, key: str, depth: int) -> FlowNode:
    if not _is_step(tree) or depth > _DEEPEST:
        raise ValueError("this is not the tree of a flow")
    steps = tree.get("steps", ())
    options = {name: it for name, it in tree.items() if name not in _OWN_KEYS}
    extras = {name: it for name, it in options.items() if _is_step(it)}
    return FlowNode(
        key=key,
        kind=tree["type"],
        name=tree["name"],
        description=str(tree.get("description", "")),
        steps=tuple(_node(it, f"{key}.{number}", depth + 1) for number, it in enumerate(steps)),
        extras={name: _node(it, f"{key}.{name}", depth + 1) for name, it in extras.items()},
        options={name: it for name, it in options.items() if name not in extras},
    )


def _is_step(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("type"), str)
        and isinstance(value.get("name"), str)
        and isinstance(value.get("steps", ()), list | tuple)
    )
