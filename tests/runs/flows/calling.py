"""Flows that are run without a daemon, by agents that are functions of their texts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from stringd_runs.agent_events import AgentResult, Usage
from stringd_runs.flows.built_in_flows import FLOW_TYPES
from stringd_runs.flows.flow_run import run_flow
from stringd_runs.flows.flow_types import FlowType
from stringd_runs.strategies.strategy import AgentStep, Flow, Step

BUILT_IN = {it.name: it for it in FLOW_TYPES}


async def wrapping(agent: str, text: str) -> str:
    """Answer so that all that happened to a text can be read from it."""
    return f"{agent}({text})"


class Calls:
    """Records what a flow calls and announces."""

    def __init__(self, answer: Callable[[str, str], Awaitable[str]] = wrapping) -> None:
        self._answer = answer
        self.calls: list[tuple[str, str]] = []
        self.announced: list[tuple[str, str, str]] = []
        self.running = 0
        self.most_running = 0

    async def call_agent(self, agent: str, text: str) -> AgentResult:
        self.calls.append((agent, text))
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            answer = await self._answer(agent, text)
        finally:
            self.running -= 1
        return AgentResult(text=answer, usage=Usage(prompt_tokens=1, completion_tokens=len(answer.split())))

    def step_started(self, step: str, text: str) -> None:
        self.announced.append(("started", step, text))

    def step_completed(self, step: str, result: AgentResult) -> None:
        self.announced.append(("completed", step, result.text))

    def run(self, flow: Flow, text: str, types: Mapping[str, FlowType] = BUILT_IN) -> AgentResult:
        """Run a flow to its end."""

        async def run() -> AgentResult:
            async with asyncio.timeout(20):
                return await run_flow(flow, text, self, types)

        return asyncio.run(run())


def step(of: str | Step) -> Step:
    """A step that calls an agent, or a nested flow."""
    return AgentStep(agent=of) if isinstance(of, str) else of


def flow(kind: str, *steps: str | Step, name: str = "main", **options: Any) -> Flow:
    """A flow of this type."""
    return Flow(name=name, type=kind, steps=tuple(map(step, steps)), options=options)
