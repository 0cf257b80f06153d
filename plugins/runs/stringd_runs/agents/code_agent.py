"""Agents that are code of plugins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from stringd_runs.agent import AgentFailed, RunContext, failure_of
from stringd_runs.agent_events import AgentResult
from stringd_runs.agents.agent_types import AgentCall, AgentType, Exchange
from stringd_runs.prices import Price
from stringd_runs.strategies.strategy import CodeAgent


class CodeAgentRunner:
    """An agent of a plugin's type in one run; implements `Agent`."""

    model: str | None = None
    context_window: int | None = None
    price: Price | None = None

    def __init__(self, definition: CodeAgent, agent_type: AgentType) -> None:
        self.definition = definition
        self._type = agent_type
        self._earlier: list[Exchange] = []
        self._records: list[Mapping[str, Any]] = []

    async def call(self, text: str, run: RunContext) -> AgentResult:
        """Have the plugin's code answer; whatever it raises fails the agent."""
        definition = self.definition
        call = AgentCall(
            agent=definition.name, text=text, config=definition.config, run=run, earlier=tuple(self._earlier)
        )
        result = await self._answer(call)
        self._remember(text, result.text)
        return result

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the calls so far."""
        return self._records

    def restore(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Remember the calls of an earlier execution, in which the agent may have been of another type."""
        for said, answered in pairwise(records):
            if (said["role"], answered["role"]) == ("user", "assistant"):
                self._remember(said["text"], answered["text"])

    def _remember(self, text: str, answer: str) -> None:
        self._earlier.append(Exchange(text=text, answer=answer))
        said = (("user", text), ("assistant", answer))
        self._records += ({"agentName": self.definition.name, "role": role, "text": it} for role, it in said)

    async def _answer(self, call: AgentCall) -> AgentResult:
        try:
            answer = await self._type.answer(call)
        except Exception as error:
            raise failure_of(call.agent, error) from error
        if isinstance(answer, str):
            return AgentResult(text=answer)
        if isinstance(answer, AgentResult):
            return answer
        raise AgentFailed(f"{call.agent} answered with {type(answer).__name__}, which is not a text")
