"""Agents that are code of plugins."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from stringd_runs.agent import AgentFailed, RunContext
from stringd_runs.agent_events import AgentResult
from stringd_runs.agents.agent_types import AgentCall, AgentType, Exchange
from stringd_runs.strategies.strategy import CodeAgent

log = logging.getLogger(__name__)


class CodeAgentRunner:
    """An agent of a plugin's type in one run; implements `Agent`."""

    model: str | None = None
    context_window: int | None = None

    def __init__(self, definition: CodeAgent, agent_type: AgentType) -> None:
        self.definition = definition
        self._type = agent_type
        self._earlier: tuple[Exchange, ...] = ()

    async def call(self, text: str, run: RunContext) -> AgentResult:
        """Have the plugin's code answer; whatever it raises fails the agent."""
        definition = self.definition
        call = AgentCall(
            agent=definition.name, text=text, config=definition.config, run=run, earlier=self._earlier
        )
        result = await self._answer(call)
        self._earlier += (Exchange(text=text, answer=result.text),)
        return result

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the calls so far."""
        name = self.definition.name
        return [
            {"agentName": name, "role": role, "text": text}
            for it in self._earlier
            for role, text in (("user", it.text), ("assistant", it.answer))
        ]

    def restore(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Remember the calls of an earlier execution."""
        texts = [it["text"] for it in records]
        pairs = zip(texts[::2], texts[1::2], strict=True)
        self._earlier = tuple(Exchange(text=text, answer=answer) for text, answer in pairs)

    async def _answer(self, call: AgentCall) -> AgentResult:
        try:
            answer = await self._type.answer(call)
        except AgentFailed:
            raise
        except Exception as error:
            log.exception("the agent %s, which is %s, failed", call.agent, self._type.name)
            raise AgentFailed(f"{call.agent} failed with {type(error).__name__}: see the log") from error
        if isinstance(answer, str):
            return AgentResult(text=answer)
        if isinstance(answer, AgentResult):
            return answer
        raise AgentFailed(f"{call.agent} answered with {type(answer).__name__}, which is no text")
