"""A flow as clients see it: a tree of flows and agents, in JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from stringd_runs.strategies.strategy import AgentStep, Flow, Step


def flow_tree(step: Step) -> dict[str, Any]:
    """Return a flow with all that is nested in it as a JSON value."""
    tree = {"type": "agent", "name": step.agent} if isinstance(step, AgentStep) else _flow(step)
    return tree | ({"description": step.description} if step.description else {})


def _flow(flow: Flow) -> dict[str, Any]:
    options = dict(_options(flow.options))
    return {**options, "type": flow.type, "name": flow.name, "steps": [flow_tree(it) for it in flow.steps]}


def _options(options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the options that clients can understand."""
    for name, value in options.items():
        if isinstance(value, AgentStep | Flow):
            yield name, flow_tree(value)
        elif value == math.inf:
            yield name, "Infinity"
        elif isinstance(value, tuple):
            yield name, list(value)
        elif isinstance(value, str | int | float | bool):
            yield name, value
