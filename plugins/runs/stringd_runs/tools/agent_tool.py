"""A tool of a model agent, and what becomes of a model's call of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct

from stringd.plugin.text import limited
from stringd_runs.agent import RunContext
from stringd_runs.agent_events import ToolCall
from stringd_runs.model_provider import Tool

LONGEST_OUTPUT = 64 * 1024
"""How much of a tool's output a model gets; what is left out in its middle is said there."""


class ToolOutcome(Struct, frozen=True, kw_only=True):
    """What a tool has answered; `error` says in a line why it has failed."""

    text: str
    error: str | None = None

    @classmethod
    def failure(cls, message: str) -> ToolOutcome:
        """Return the outcome of a call that has not run."""
        return cls(text=message, error=message)


class AgentTool(Protocol):
    """A tool of one agent."""

    @property
    def declaration(self) -> Tool:
        """The tool as the model is told of it."""

    async def use(self, arguments: Mapping[str, Any], agent: str, run: RunContext) -> ToolOutcome:
        """Do what a model wants; failures are outcomes. Cancelling it ends whatever it has begun."""


async def use_tool(
    call: ToolCall, tools: Mapping[str, AgentTool], agent: str, run: RunContext
) -> ToolOutcome:
    """Return what a tool answers, bounded, or tell the model what is wrong with its call."""
    tool = tools.get(call.name)
    if tool is None:
        return ToolOutcome.failure(f"There is no such tool. {_listed(tools)}")
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError) as error:
        return ToolOutcome.failure(f"The arguments are not JSON: {error}")
    if not isinstance(arguments, dict):
        return ToolOutcome.failure('The arguments are no JSON object, such as {"command": "/help"}')
    outcome = await tool.use(arguments, agent, run)
    return ToolOutcome(text=limited(outcome.text, LONGEST_OUTPUT), error=outcome.error)


def _listed(tools: Mapping[str, AgentTool]) -> str:
    return f"The tools are {', '.join(tools)}." if tools else "There are no tools."
