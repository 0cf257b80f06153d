"""Run a flow: call its steps in the way of its type, and add up the usage of agents."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Protocol

from stringd_runs.agent import AgentFailed
from stringd_runs.agent_events import AgentResult, Usage
from stringd_runs.flows.flow_types import FlowType
from stringd_runs.strategies.strategy import AgentStep, Flow, Step


class FlowCaller(Protocol):
    """The run of a strategy, as its flow sees it."""

    async def call_agent(self, agent: str, text: str) -> AgentResult:
        """Give a text to an agent, and return its result."""

    def step_started(self, step: str, text: str) -> None:
        """Announce that a step of the strategy's own flow is given a text."""

    def step_completed(self, step: str, result: AgentResult) -> None:
        """Announce the result of that step."""


async def run_flow(
    flow: Flow, text: str, caller: FlowCaller, flow_types: Mapping[str, FlowType]
) -> AgentResult:
    """Run the flow of a strategy on a text; the usage of its result is that of all calls.

    The steps of this flow are announced, those of flows nested in it are not. A step that fails ends the
    flow, after the steps that run in parallel with it have been cancelled.
    """
    return await _FlowRun(flow, caller, flow_types, is_announced=True).result(text)


class _FlowRun:
    """One run of a flow, and the usage of its steps so far."""

    def __init__(
        self, flow: Flow, caller: FlowCaller, flow_types: Mapping[str, FlowType], *, is_announced: bool
    ) -> None:
        self._flow = flow
        self._caller = caller
        self._flow_types = flow_types
        self._is_announced = is_announced
        self._usage = Usage()

    async def result(self, text: str) -> AgentResult:
        flow = self._flow
        if flow.function is not None:
            answer: object = await flow.function(text, self._call_agent)
        else:
            answer = await self._flow_types[flow.type].run(flow, text, self._call)
        if not isinstance(answer, str):
            raise AgentFailed(f"the flow {flow.name} returned {type(answer).__name__} instead of a text")
        return AgentResult(text=answer, usage=self._usage)

    async def _call_agent(self, agent: str, text: str) -> str:
        given: object = text
        if not isinstance(given, str):
            problem = f"calls {agent} with {type(given).__name__} instead of a text"
            raise AgentFailed(f"the flow {self._flow.name} {problem}")
        return await self._call(self._step_of(agent), text)

    def _step_of(self, agent: str) -> Step:
        step = next((it for it in self._flow.steps if it.name == agent), None)
        if step is None:
            raise AgentFailed(f"the flow {self._flow.name} calls an unknown agent: {agent!r}")
        return step

    async def _call(self, step: Step, text: str) -> str:
        # Agents that answer at once must not keep everything else waiting.
        await asyncio.sleep(0)
        if self._is_announced:
            self._caller.step_started(step.name, text)
        result = await self._result_of(step, text)
        if self._is_announced:
            self._caller.step_completed(step.name, result)
        self._usage += result.usage
        return result.text

    async def _result_of(self, step: Step, text: str) -> AgentResult:
        if isinstance(step, AgentStep):
            return await self._caller.call_agent(step.agent, text)
        return await _FlowRun(step, self._caller, self._flow_types, is_announced=False).result(text)
