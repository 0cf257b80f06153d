"""One run of one user: prepared, running or ended, over all of its executions."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from collections.abc import Callable

from msgspec.structs import replace

from stringd.plugin import Runtime, User
from stringd_runs.histories.history_store import HistoryStore
from stringd_runs.histories.interrupted_execution import InterruptedExecution
from stringd_runs.messages.client_messages import Decision
from stringd_runs.messages.daemon_replies import RunErrorCode, RunStatus, RunSummary
from stringd_runs.messages.message_encoder import timestamp
from stringd_runs.messages.run_events import RequestPermission, RunError, SteerQueued, StrategyError
from stringd_runs.running.permissions import Permissions
from stringd_runs.running.preparation import Preparation
from stringd_runs.running.run_execution import Execution, RunFlow
from stringd_runs.running.run_feed import RunFeed
from stringd_runs.running.run_refused import RunRefused

log = logging.getLogger(__name__)

STOPPED = "stopped"
MOST_STEERING = 1_000
LONGEST_STEERING = 16 * 1024 * 1024


class Run:
    """A run in memory; `on_ended` is called when it has ended, just before its last event is delivered."""

    def __init__(
        self, summary: RunSummary, user: User, feed: RunFeed, *, on_ended: Callable[[Run], None]
    ) -> None:
        self.user = user
        self.feed = feed
        self.plan: Preparation | None = None
        self.execution: Execution | None = None
        self.executions = 0
        """How many executions were started in this life of the daemon."""
        self._summary = summary
        self._last_execution: RunSummary | None = None
        self._on_ended = on_ended
        self._steering: list[str] = []
        self._permissions: Permissions | None = None
        self._owner: asyncio.Task[None] | None = None

    @property
    def id(self) -> str:
        """The id of the run."""
        return self._summary.run_id

    @property
    def summary(self) -> RunSummary:
        """The run as lists show it."""
        return self._summary

    @property
    def status(self) -> RunStatus:
        """The state of the run."""
        return self._summary.status

    @property
    def is_active(self) -> bool:
        """Whether the run is pending or running."""
        return self.plan is not None

    def prepare(self, plan: Preparation) -> None:
        """Take the place of what was prepared before."""
        if not self.is_active:
            self._last_execution = self._summary if plan.is_continuation else None
        self.plan = plan
        self._summary = RunSummary(
            run_id=self.id,
            strategy_name=plan.strategy.name,
            status=RunStatus.PENDING,
            started_at=timestamp(time.time()),
        )

    def start(
        self,
        text: str,
        request_id: str | None,
        *,
        runtime: Runtime,
        store: HistoryStore,
        run_flow: RunFlow,
        interrupted: InterruptedExecution | None = None,
    ) -> None:
        """Start what is prepared, or go on with what was interrupted, in a task of its own."""
        plan = self.plan
        if plan is None or self.execution is not None:
            raise RuntimeError("only a prepared run can be started")
        self.execution = execution = Execution(
            plan,
            runtime=runtime,
            feed=self.feed,
            history=store.log(self.user.id, self.id),
            steering=self._steering,
            permissions=self._permissions_with(runtime),
            run_flow=run_flow,
            request_id=request_id,
            is_shared=store.is_shared,
            interrupted=interrupted,
        )
        if interrupted:
            self._steering[:0] = interrupted.steering
        self.executions += 1
        self._summary = RunSummary(
            run_id=self.id,
            strategy_name=plan.strategy.name,
            status=RunStatus.RUNNING,
            started_at=execution.started_at,
        )
        # What guards the command or request that starts a run has no say in the run itself.
        self._owner = asyncio.get_running_loop().create_task(
            execution.run(text, self._end), context=contextvars.Context()
        )

    def stop(self, reason: str = STOPPED) -> None:
        """End the run as cancelled if it is pending or running."""
        if self.execution:
            self.execution.stop(reason)
        elif self.plan:
            error = RunError(code=RunErrorCode.CANCELLED, message=reason)
            event = self.feed.encode(StrategyError(run_id=self.id, error=error), None)
            now = timestamp(time.time())
            cancelled = replace(self._summary, status=RunStatus.CANCELLED, completed_at=now)
            self._end(self._last_execution or cancelled)
            self.feed.deliver(event)

    def suspend(self) -> None:
        """Do nothing more, without an end; the run is to be forgotten."""
        if self.execution:
            self.execution.suspend()

    def abandon(self) -> None:
        """Wait no longer for agents that clean up after the run was stopped."""
        if self.execution:
            self.execution.abandon()

    def steer(self, text: str) -> None:
        """Queue a text for the next call of a model, or raise `RunRefused`."""
        execution = self.execution
        if self.plan is None or (execution and execution.calls.have_ended):
            raise RunRefused(RunErrorCode.RUN_NOT_STEERABLE, f"The run {self.id} has ended.")
        waiting = sum(map(len, self._steering)) + len(text)
        if len(self._steering) >= MOST_STEERING or waiting > LONGEST_STEERING:
            raise RunRefused(
                RunErrorCode.RUN_NOT_STEERABLE, "Too many texts wait for the next call of a model."
            )
        self._steering.append(text)
        self.feed.publish(SteerQueued(run_id=self.id, text=text), execution.request_id if execution else None)

    def decide(self, permission_id: str, decision: Decision, *, is_operator: bool) -> None:
        """Decide about a permission, or raise `RunRefused`."""
        if self._permissions is None:
            message = f"The run {self.id} has not been started."
            raise RunRefused(RunErrorCode.NO_PENDING_PERMISSION, message)
        self._permissions.decide(permission_id, decision, is_operator=is_operator)

    def leave(self) -> None:
        """Forget what was decided for the rest of the run, which leaves memory."""
        self._permissions = None

    async def wait(self) -> None:
        """Return when the run has ended, and its last event is delivered."""
        if self._owner:
            await asyncio.wait((self._owner,))

    def _permissions_with(self, runtime: Runtime) -> Permissions:
        """Return the permissions, which outlive an execution: some decisions hold for the whole run."""
        if self._permissions is None:
            self._permissions = Permissions(
                self.id, self.user.id, runtime, self._report, lambda: self.feed.has_operator
            )
        return self._permissions

    def _report(self, event: RequestPermission) -> None:
        if self.execution:
            self.execution.report(event)

    def _end(self, summary: RunSummary) -> None:
        self._summary = summary
        self.plan = self.execution = self._owner = None
        self._steering.clear()
        self._on_ended(self)
