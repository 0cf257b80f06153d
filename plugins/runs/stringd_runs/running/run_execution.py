"""One execution of a run: the task that owns it, from its first event to the last one."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from stringd.plugin import Runtime, User
from stringd.plugin.stores import AppendLog
from stringd_runs.agent import ToolUse, failure_of
from stringd_runs.agent_events import AgentEvent, AgentResult, Done
from stringd_runs.histories.history_records import (
    ExecutionEnded,
    ExecutionResumed,
    RecordsRemoved,
    encode_record,
)
from stringd_runs.histories.history_writer import HistoryWriter
from stringd_runs.histories.interrupted_execution import InterruptedExecution
from stringd_runs.messages.daemon_replies import RunErrorCode, RunStatus, RunSummary
from stringd_runs.messages.message_encoder import timestamp
from stringd_runs.messages.run_events import (
    AgentStreaming,
    EncodedEvent,
    RequestInput,
    RunEvent,
    StrategyCompleted,
    StrategyResumed,
    StrategyStarted,
)
from stringd_runs.running.execution_records import (
    Ending,
    ended_record,
    ending_early,
    ending_in_failure,
    outcome_of,
    started_record,
)
from stringd_runs.running.people import People
from stringd_runs.running.permissions import Permissions
from stringd_runs.running.preparation import Preparation
from stringd_runs.running.run_feed import RunFeed
from stringd_runs.running.step_calls import StepCalls
from stringd_runs.strategies.strategy import Flow
from stringd_runs.tools.run_topics import end_topics

log = logging.getLogger(__name__)

CANCEL_SECONDS = 4.0
"""How long agents may take to clean up before their run ends without them."""
STORE_SECONDS = 30.0
"""How long the disk may take to store the end of a run before the run ends without it."""

RunFlow: TypeAlias = Callable[[Flow, str, StepCalls], Awaitable[AgentResult]]


class Execution:
    """Runs the flow of a prepared run once; implements `RunContext` for its agents.

    One that was interrupted goes on after its last finished calls. With `is_shared`, other nodes may do that.
    """

    def __init__(
        self,
        plan: Preparation,
        *,
        runtime: Runtime,
        feed: RunFeed,
        history: AppendLog,
        steering: list[str],
        permissions: Permissions,
        run_flow: RunFlow,
        request_id: str | None,
        is_shared: bool = False,
        interrupted: InterruptedExecution | None = None,
    ) -> None:
        self._plan = plan
        self._runtime = runtime
        self._feed = feed
        self._steering = steering
        self._permissions = permissions
        self._run_flow = run_flow
        self.request_id = request_id
        self._is_shared = is_shared
        self._interrupted = interrupted
        self._writer = HistoryWriter(history, self._note_progress)
        self._stopping: asyncio.Future[Ending | None] = asyncio.get_running_loop().create_future()
        self._abandoned: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._flow: asyncio.Task[Ending] | None = None
        self.started_at = interrupted.started.at if interrupted else timestamp(time.time())
        self.people = People(runtime.questions, user_id=self.user.id, run_id=self.run_id)
        self.calls = StepCalls(
            plan,
            context=self,
            writer=self._writer,
            is_shared=is_shared,
            done=interrupted.done if interrupted else None,
        )

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self._plan.source.run_id

    @property
    def user(self) -> User:
        """The user whose run it is."""
        return self._plan.source.user

    @property
    def runtime(self) -> Runtime:
        """The running daemon."""
        return self._runtime

    @property
    def directory(self) -> Path:
        """The working directory of the run."""
        return self._plan.directory

    def report(self, event: RunEvent) -> None:
        """Publish an event, unless the execution has ended."""
        if not self.calls.have_ended:
            self._feed.publish(event, self.request_id)

    def publish(self, agent: str, event: AgentEvent) -> None:
        """Report what an agent does; one that ignores the end of the execution is cancelled again."""
        if self.calls.have_ended:
            raise asyncio.CancelledError("the execution has ended")
        if isinstance(event, Done):
            return
        speaker = self._plan.agents[agent]
        self.report(
            AgentStreaming(
                run_id=self.run_id,
                agent_name=agent,
                model=speaker.model,
                context_window=speaker.context_window,
                event=event,
            )
        )

    def take_steering(self) -> Sequence[str]:
        """Return and remove the texts that wait for the next call of a model."""
        taken = tuple(self._steering)
        self._steering.clear()
        self.calls.note_steering(taken)
        return taken

    def note_cut(self, agent: str, removed_records: int) -> None:
        """Note that this many more of an agent's oldest records are no longer sent to its model."""
        cut = RecordsRemoved(agent=agent, removed_records=removed_records, at=timestamp(time.time()))
        self._plan.remembered.add_cut(cut)
        self._writer.append(encode_record(cut))

    def using(self, use: ToolUse) -> AbstractContextManager[None]:
        """Return a context in which a tool is used."""
        return self._permissions.using(use)

    async def ask(self, agent: str, prompt: str) -> str:
        """Ask a person."""
        request = RequestInput(run_id=self.run_id, agent_name=agent, prompt=prompt)
        return await self.people.ask(agent, prompt, lambda: self.report(request))

    def stop(self, reason: str) -> None:
        """End the execution as cancelled, unless it is ending already."""
        self._end_early(RunStatus.CANCELLED, RunErrorCode.CANCELLED, reason)

    def suspend(self) -> None:
        """Do nothing more, and end without saying so: another node goes on, or this one later."""
        self._end_with(None)

    def abandon(self) -> None:
        """Wait no longer for agents that clean up or ignore that the execution was stopped."""
        if not self._abandoned.done():
            self._abandoned.set_result(None)

    async def run(self, text: str, settle: Callable[[RunSummary], None]) -> None:
        """Run the flow with an input; `settle` is called right before the last event is delivered."""
        if self._plan.is_elsewhere:
            await end_topics(self._runtime, self.user.id, self.run_id)
        writing = asyncio.create_task(self._writer.run())
        if self._interrupted:
            self._resume(self._interrupted)
        else:
            self._begin(text)
        ending = await self._ending(text)
        if ending is None:
            self._writer.close()
            await asyncio.wait((writing,), timeout=STORE_SECONDS)
            return
        event, ended = await self._store(ending, writing)
        if not self._writer.is_elsewhere:
            settle(ended.summary())
            self._feed.deliver_last(event)

    def _resume(self, interrupted: InterruptedExecution) -> None:
        finished = len(interrupted.done.calls)
        resumed = ExecutionResumed(finished_calls=finished, at=timestamp(time.time()))
        self._writer.append(encode_record(resumed), sync=True)
        self._feed.write_to(self._writer)
        event = StrategyResumed(
            run_id=self.run_id, strategy_name=self._plan.strategy.name, finished_calls=finished
        )
        self._feed.publish(event, self.request_id)

    def _begin(self, text: str) -> None:
        plan = self._plan
        started = started_record(plan, text, self.started_at, is_shared=self._is_shared)
        plan.remembered.add_input(started)
        self._writer.append(encode_record(started), sync=True)
        self._feed.write_to(self._writer)
        event = StrategyStarted(
            run_id=self.run_id,
            strategy_name=plan.strategy.name,
            agents=tuple(plan.strategy.agents),
            flow_tree=plan.flow_tree,
        )
        self._feed.publish(event, self.request_id)

    async def _ending(self, text: str) -> Ending | None:
        """Return how the execution ends: by its flow, or early; None if it is suspended."""
        if self._stopping.done():
            return self._stopping.result()
        self._flow = asyncio.create_task(self._run_to_end(text))
        await asyncio.wait((self._flow, self._stopping), return_when=asyncio.FIRST_COMPLETED)
        if not self._stopping.done():
            return self._flow.result()
        cleaned_up = (self._flow, self._abandoned)
        await asyncio.wait(cleaned_up, timeout=CANCEL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not self._flow.done():
            log.warning("run %s has ended, but an agent still ignores that", self.run_id)
        return self._stopping.result()

    async def _run_to_end(self, text: str) -> Ending:
        try:
            result = await self._run_flow(self._plan.strategy.flow, text, self.calls)
        except asyncio.CancelledError:
            return ending_in_failure(self.run_id, "an agent cancelled its own call")
        except BaseException as error:
            what = f"the flow {self._plan.strategy.flow.name} of run {self.run_id}"
            return ending_in_failure(self.run_id, str(failure_of(what, error)))
        finally:
            # Whatever arrives from now on is refused rather than lost.
            self.calls.end()
        completed = StrategyCompleted(
            run_id=self.run_id,
            result=result.text,
            usage=self.calls.usage,
            unused_steering=self.take_steering() or None,
        )
        return Ending(event=completed, status=RunStatus.COMPLETED)

    async def _store(
        self, ending: Ending, writing: asyncio.Task[None]
    ) -> tuple[EncodedEvent, ExecutionEnded]:
        """Store the end, and return it with its event; a result that could not be stored is an error."""
        event = self._feed.encode(ending.event, self.request_id)
        ended = ended_record(self._plan, self.calls, ending, self.started_at, event.seq)
        self._writer.append(encode_record(ended), sync=True, is_over=True)
        self._writer.close()
        await asyncio.wait((writing,), timeout=STORE_SECONDS)
        if not writing.done():
            self._writer.fail("the disk does not answer")
        self._feed.release()
        self._feed.write_to(None)
        if self._writer.failure is None:
            return event, ended
        if ending.status is not RunStatus.CANCELLED:
            ending = ending_in_failure(self.run_id, self._unwritten)
        ended = replace(ended, status=ending.status, outcome=outcome_of(ending))
        return self._feed.encode(ending.event, self.request_id), ended

    def _note_progress(self) -> None:
        self._feed.release()
        if self._writer.is_elsewhere:
            self.suspend()
        elif self._writer.failure is not None:
            self._end_early(RunStatus.ERROR, RunErrorCode.EXECUTION_ERROR, self._unwritten)

    def _end_early(self, status: RunStatus, code: RunErrorCode, reason: str) -> None:
        self._end_with(ending_early(self.run_id, status, code, reason))

    def _end_with(self, ending: Ending | None) -> None:
        if self._stopping.done() or (self._flow and self._flow.done()):
            return
        self._stopping.set_result(ending)
        self.calls.end()
        if self._flow:
            self._flow.cancel()

    @property
    def _unwritten(self) -> str:
        return f"the history of the run cannot be written: {self._writer.failure}"
