"""The agent calls of one execution: their events, their records in the history, and their usage."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Protocol

from stringd_runs.agent import Agent, RunContext, failure_of
from stringd_runs.agent_events import AgentResult, Done, Usage
from stringd_runs.histories.history_records import AgentCalled, encode_record
from stringd_runs.histories.history_writer import HistoryWriter
from stringd_runs.messages.run_events import (
    AgentOutput,
    AgentStreaming,
    RunEvent,
    StepCompleted,
    StepStarted,
)
from stringd_runs.running.preparation import Preparation
from stringd_runs.strategies.strategy import Person


class ReportingContext(RunContext, Protocol):
    """The run that calls agents, and what takes their events."""

    def report(self, event: RunEvent) -> None:
        """Publish an event."""


class StepCalls:
    """Calls the agents of one execution for its flow, until that is ended; implements `FlowCaller`."""

    def __init__(self, plan: Preparation, *, context: ReportingContext, writer: HistoryWriter) -> None:
        self._plan = plan
        self._run_id = plan.source.run_id
        self._context: ReportingContext | None = context
        self._writer = writer
        self._recorded = {name: len(agent.records()) for name, agent in plan.agents.items()}
        self.steps = 0
        """How many top-level steps have begun."""
        self.usage = Usage()
        self.cost: float | None = None
        """In dollars, of the models whose prices are known; None if none are."""

    @property
    def have_ended(self) -> bool:
        """Whether no further agent is called, and nothing more is reported."""
        return self._context is None

    def end(self) -> None:
        """Call no further agent, and report nothing more."""
        self._context = None

    def step_started(self, step: str, text: str) -> None:
        """Announce a top-level step."""
        self.steps += 1
        self._going_on().report(StepStarted(run_id=self._run_id, step_name=step, message=text))

    def step_completed(self, step: str, result: AgentResult) -> None:
        """Announce the end of a top-level step."""
        self._going_on().report(StepCompleted(run_id=self._run_id, step_name=step, result=result))

    async def call_agent(self, agent: str, text: str) -> AgentResult:
        """Give a text to an agent, and report and store its answer."""
        self._going_on()
        await self._writer.wait_for_room()
        called = self._plan.agents[agent]
        result = await _answer(agent, called, text, self._going_on())
        context = self._going_on()
        self._record(agent, called)
        self.usage += result.usage
        cost = called.price.of(result.usage) if called.price else None
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost
        if not isinstance(self._plan.strategy.agents[agent], Person):
            for event in self._events(agent, called, result, cost):
                context.report(event)
        return result

    def _going_on(self) -> ReportingContext:
        if self._context is None:
            raise asyncio.CancelledError("the execution has ended")
        return self._context

    def _record(self, name: str, agent: Agent) -> None:
        gained = agent.records()[self._recorded[name] :]
        self._recorded[name] += len(gained)
        called = AgentCalled(agent=name, records=gained)
        self._plan.remembered.add_call(called)
        self._writer.append(encode_record(called), sync=True)

    def _events(self, name: str, agent: Agent, result: AgentResult, cost: float | None) -> Iterator[RunEvent]:
        model, window = agent.model, agent.context_window
        yield AgentOutput(
            run_id=self._run_id,
            agent_name=name,
            model=model,
            context_window=window,
            text=result.text,
            usage=result.usage,
            cost=cost,
            context_usage=result.context_usage,
        )
        yield AgentStreaming(
            run_id=self._run_id,
            agent_name=name,
            model=model,
            context_window=window,
            event=Done(result=result),
        )


async def _answer(name: str, agent: Agent, text: str, context: RunContext) -> AgentResult:
    """Return an agent's answer; whatever it raises instead must end its run only."""
    try:
        return await agent.call(text, context)
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        raise failure_of(name, error) from error
