"""Go on with runs that were interrupted, when their user's topics come to this node of a cluster."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from stringd.plugin import Runtime, User
from stringd_runs.histories.history_store import HistoryStore
from stringd_runs.histories.interrupted_execution import InterruptedExecution
from stringd_runs.messages.daemon_replies import RunErrorCode, RunStatus
from stringd_runs.messages.run_events import RunError, StrategyError
from stringd_runs.running.recalled_runs import RecalledRuns
from stringd_runs.running.run_preparer import RunPreparer
from stringd_runs.running.run_refused import RunRefused
from stringd_runs.running.strategy_loader import StrategyLoader

log = logging.getLogger(__name__)

_RETRY_SECONDS = 0.5


class Resumptions:
    """Finds the runs of a user that ended nowhere, and has each go on after its last finished calls."""

    def __init__(
        self,
        runtime: Runtime,
        store: HistoryStore,
        loader: StrategyLoader,
        recalled: RecalledRuns,
        preparer: RunPreparer,
    ) -> None:
        self._runtime = runtime
        self._store = store
        self._loader = loader
        self._recalled = recalled
        self._preparer = preparer
        self._beginning: dict[str, asyncio.Event] = {}

    async def begun(self, user_id: str) -> None:
        """Return once no other request can take a run of a user that is to go on."""
        if beginning := self._beginning.get(user_id):
            await beginning.wait()

    async def resume(self, user_id: str) -> None:
        """Have all interrupted runs of a user go on; return once they do, or can't."""
        beginning = self._beginning[user_id] = asyncio.Event()
        try:
            user = self._runtime.user(user_id)
            run_ids = await self._interrupted(user_id)
            async with asyncio.TaskGroup() as group:
                for run_id in run_ids:
                    group.create_task(self._resume(user, run_id))
                # Each holds the lock of its run from its first step on.
                await asyncio.sleep(0)
                self._end_beginning(user_id, beginning)
        finally:
            self._end_beginning(user_id, beginning)

    def _end_beginning(self, user_id: str, beginning: asyncio.Event) -> None:
        beginning.set()
        if self._beginning.get(user_id) is beginning:
            del self._beginning[user_id]

    async def _interrupted(self, user_id: str) -> Sequence[str]:
        while True:
            try:
                return await self._store.interrupted(user_id)
            except OSError as error:
                log.warning("cannot look for runs of %s to go on with: %s", user_id, error)
                await asyncio.sleep(_RETRY_SECONDS)

    async def _resume(self, user: User, run_id: str) -> None:
        async with self._preparer.lock(run_id):
            try:
                await self._resume_alone(user, run_id)
            except OSError as error:
                log.warning("cannot go on with run %s: %s", run_id, error)
            except Exception:
                log.exception("cannot go on with run %s", run_id)

    async def _resume_alone(self, user: User, run_id: str) -> None:
        interrupted = await self._store.read_interrupted(run_id)
        if interrupted is None or interrupted.started.user_id != user.id:
            return
        try:
            run = await self._preparer.prepare_again(user, interrupted.history)
        except RunRefused as refused:
            await self._give_up(user, interrupted, refused.message)
            return
        run.start(
            interrupted.started.input,
            interrupted.request_id,
            runtime=self._runtime,
            store=self._store,
            run_flow=self._loader.run_flow,
            interrupted=interrupted,
        )

    async def _give_up(self, user: User, interrupted: InterruptedExecution, why: str) -> None:
        """End a run that can't go on, and say why."""
        reason = f"the run could not go on after it was interrupted: {why}"
        history, run_id = interrupted.history, interrupted.started.run_id
        run = self._recalled.of_history(user, history)
        error = RunError(code=RunErrorCode.EXECUTION_ERROR, message=reason)
        event = run.feed.encode(StrategyError(run_id=run_id, error=error), interrupted.request_id)
        await self._store.close_interrupted(history, event, RunStatus.ERROR, reason)
        run.feed.deliver_last(event)
        self._recalled.forget(run)
