"""The agent calls of one execution: their events, their records in the history, and their usage."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Protocol

from stringd_runs.agent import Agent, RunContext, failure_of
from stringd_runs.agent_events import AgentResult, Done, Usage
from stringd_runs.histories.history_records import AgentCalled, encode_record
from stringd_runs.histories.history_writer import HistoryWriter
from stringd_runs.histories.interrupted_execution import DoneBefore, FinishedCall, digest_of
from stringd_runs.messages.run_events import (
    AgentOutput,
    AgentStreaming,
    RunEvent,
    StepCompleted,
    StepStarted,
)
from stringd_runs.running.preparation import Preparation
from stringd_runs.strategies.strategy import Person

_steering: ContextVar[list[str]] = ContextVar("_steering")
"""The texts that the present call of an agent has taken into account."""


class ReportingContext(RunContext, Protocol):
    """The run that calls agents, and what takes their events."""

    def report(self, event: RunEvent) -> None:
        """Publish an event."""


class StepCalls:
    """Calls the agents of one execution for its flow, until that is ended; implements `FlowCaller`.

    The flow of an execution that goes on after an interruption comes to what was done before once more: calls
    are answered with their results, and steps are not announced again. With `is_shared`, calls are stored for
    that.
    """

    def __init__(
        self,
        plan: Preparation,
        *,
        context: ReportingContext,
        writer: HistoryWriter,
        is_shared: bool = False,
        done: DoneBefore | None = None,
    ) -> None:
        self._plan = plan
        self._run_id = plan.source.run_id
        self._context: ReportingContext | None = context
        self._writer = writer
        self._is_shared = is_shared
        self._done = done or DoneBefore()
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
        self._announce(StepStarted(run_id=self._run_id, step_name=step, message=text), step, text)

    def step_completed(self, step: str, result: AgentResult) -> None:
        """Announce the end of a top-level step."""
        self._announce(StepCompleted(run_id=self._run_id, step_name=step, result=result), step, result.text)

    async def call_agent(self, agent: str, text: str) -> AgentResult:
        """Give a text to an agent, and report and store its answer."""
        self._going_on()
        if before := self._done.take_call(agent, text):
            self._add_up(before.result, before.cost)
            return before.result
        # Otherwise another node could make a call again on whose answer this one has built.
        await (self._writer.kept() if self._is_shared else self._writer.wait_for_room())
        called = self._plan.agents[agent]
        steering: list[str] = []
        _steering.set(steering)
        result = await _answer(agent, called, text, self._going_on())
        context = self._going_on()
        cost = called.price.of(result.usage) if called.price else None
        finished = FinishedCall(
            agent=agent, given=digest_of(text), result=result, cost=cost, steering=tuple(steering)
        )
        self._record(agent, called, finished)
        self._add_up(result, cost)
        if not isinstance(self._plan.strategy.agents[agent], Person):
            for event in self._events(agent, called, result, cost):
                context.report(event)
        return result

    def note_steering(self, taken: Sequence[str]) -> None:
        """Note that the present call of an agent takes texts into account."""
        _steering.get([]).extend(taken)

    def _announce(self, event: StepStarted | StepCompleted, step: str, text: str) -> None:
        context = self._going_on()
        if not self._done.take_step(event.type, step, text):
            context.report(event)

    def _add_up(self, result: AgentResult, cost: float | None) -> None:
        self.usage += result.usage
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    def _going_on(self) -> ReportingContext:
        if self._context is None:
            raise asyncio.CancelledError("the execution has ended")
        return self._context

    def _record(self, name: str, agent: Agent, finished: FinishedCall) -> None:
        gained = agent.records()[self._recorded[name] :]
        self._recorded[name] += len(gained)
        call = finished.as_json() if self._is_shared else None
        called = AgentCalled(agent=name, records=gained, call=call)
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
