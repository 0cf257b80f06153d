"""Prepare runs: new ones, continuations of those in the store, and those that are in flight already."""

from __future__ import annotations

import asyncio
import secrets
from weakref import WeakValueDictionary

from msgspec.structs import replace

from stringd.plugin import Disconnected, Fault, Refusal, Runtime, UnknownUser, User
from stringd_runs.histories.history import History
from stringd_runs.histories.history_store import HistoryStore
from stringd_runs.messages.client_messages import PrepareRun
from stringd_runs.messages.daemon_replies import RunErrorCode, RunStatus, RunSummary
from stringd_runs.running.preparation import Preparation, RunSource
from stringd_runs.running.run import Run
from stringd_runs.running.run_memory import RunMemory
from stringd_runs.running.run_publisher import published_feed
from stringd_runs.running.run_refused import RunRefused
from stringd_runs.running.strategy_loader import StrategyLoader

USER_REMOVED = "the user was removed"
MOST_ACTIVE = 1_000
_ID_BYTES = 6
_LEFT = f"{MOST_ACTIVE:,} runs were in flight, and nobody followed this one"


class RunPreparer:
    """Makes runs pending; each run is prepared by one request at a time."""

    def __init__(
        self, store: HistoryStore, loader: StrategyLoader, memory: RunMemory, runtime: Runtime
    ) -> None:
        self._store = store
        self._loader = loader
        self._memory = memory
        self._runtime = runtime
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._closed_because: str | None = None

    def close(self, reason: str) -> None:
        """Prepare nothing more."""
        self._closed_because = reason

    def lock(self, run_id: str) -> asyncio.Lock:
        """Return the lock that whoever prepares a run holds."""
        return self._locks.setdefault(run_id, asyncio.Lock())

    async def prepare_again(self, user: User, history: History) -> Run:
        """Return a run whose execution was interrupted, prepared as it was; raise `RunRefused`."""
        source = _source_of(user, history)
        plan = await self._plan(source, history, approved_code=history.started.approved_code)
        if self._closed_because:
            raise _prepare_failed(self._closed_because)
        return self._install(replace(plan, is_elsewhere=False), history)

    async def prepare(
        self, user: User, request: PrepareRun, disconnected: Disconnected | None = None
    ) -> tuple[Run, Preparation]:
        """Return a run and what it is going to run, or runs already; raise `RunRefused`.

        `disconnected` returns when the client that may wait for an approval has gone.
        """
        run_id = request.run_id or secrets.token_hex(_ID_BYTES)
        async with self.lock(run_id):
            while True:
                in_flight = self._in_flight(user, run_id, request)
                if prepared := in_flight or await self._prepared(user, run_id, request, disconnected):
                    return prepared

    def _in_flight(self, user: User, run_id: str, request: PrepareRun) -> tuple[Run, Preparation] | None:
        """Return a run that is running, or is going to run what the request asks for."""
        run = self._memory.of(user, run_id)
        if run is None or run.plan is None:
            return None
        asks = request.strategy_path or request.cwd or request.model_override
        return (run, run.plan) if run.execution or not asks else None

    async def _prepared(
        self, user: User, run_id: str, request: PrepareRun, disconnected: Disconnected | None
    ) -> tuple[Run, Preparation] | None:
        """Return a prepared run; None if it was started meanwhile, so that its history has grown."""
        run = self._memory.of(user, run_id)
        executions = run.executions if run else 0
        history = await stored_history(self._store, run_id, RunErrorCode.PREPARE_FAILED)
        owners = (self._memory.owner(run_id), history.started.user_id if history else None)
        is_taken = any(it not in (None, user.id) for it in owners)
        history = None if is_taken else history
        source = _source(user, run_id, request, _source_before(user, run, history))
        if source is None:
            raise _prepare_failed("Run not found")
        if is_taken:
            raise _prepare_failed(f"The run id {run_id} is taken: choose another one.")
        plan = await self._plan(source, history, disconnected)
        if self._closed_because:
            raise _prepare_failed(self._closed_because)
        if not self._has(user):
            raise _prepare_failed(USER_REMOVED)
        # A subscriber may have brought the run back into memory meanwhile, or an hour may have passed.
        run = self._memory.of(user, run_id)
        if run and run.executions > executions:
            return None
        return self._install(plan, history), plan

    def _has(self, user: User) -> bool:
        """Whether a user is still registered; another one may have the same id by now."""
        try:
            return self._runtime.user(user.id).created_at == user.created_at
        except UnknownUser:
            return False

    async def _plan(
        self,
        source: RunSource,
        history: History | None,
        disconnected: Disconnected | None = None,
        *,
        approved_code: str | None = None,
    ) -> Preparation:
        try:
            plan = await self._loader.prepare(source, disconnected, approved_code=approved_code)
        except (Refusal, Fault) as error:
            raise RunRefused(RunErrorCode.PREPARE_FAILED, str(error)) from error
        if history is None:
            return plan
        for name, agent in plan.agents.items():
            agent.restore(history.remembered.of_agent(name))
        is_elsewhere = history.started.directory != str(plan.directory)
        return replace(plan, remembered=history.remembered, is_continuation=True, is_elsewhere=is_elsewhere)

    def _install(self, plan: Preparation, history: History | None) -> Run:
        user, run_id = plan.source.user, plan.source.run_id
        run = self._memory.of(user, run_id)
        if run is None or not run.is_active:
            self._make_room()
            # Another run has ended then, for which this one may have left memory.
            run = self._memory.of(user, run_id)
        run = run or self._new(user, run_id, history)
        self._memory.note_active(run)
        run.prepare(plan)
        return run

    def _new(self, user: User, run_id: str, history: History | None) -> Run:
        """Return a run that was not in memory."""
        unknown = RunSummary(run_id=run_id, strategy_name="", status=RunStatus.PENDING, started_at="")
        feed = published_feed(self._runtime.events, user.id, run_id, history.last_seq if history else 0)
        run = Run(history.summary() if history else unknown, user, feed, on_ended=self._memory.note_ended)
        self._memory.add(run)
        return run

    def _make_room(self) -> None:
        """If too many runs are in flight, end the oldest of those that somebody has prepared and left."""
        active = [it for it in self._memory if it.is_active]
        if len(active) < MOST_ACTIVE:
            return
        left = [it for it in active if it.execution is None and not it.feed.is_followed]
        if not left:
            raise _prepare_failed(f"There are {MOST_ACTIVE:,} runs in flight: stop one of them first.")
        min(left, key=lambda it: it.summary.started_at).stop(_LEFT)


async def stored_history(store: HistoryStore, run_id: str, code: RunErrorCode) -> History | None:
    """Return the history of a run of any user; raise `RunRefused` with a code if it cannot be read."""
    try:
        return await store.read(run_id)
    except OSError as error:
        raise history_unreadable(code, error) from error


def history_unreadable(code: RunErrorCode, error: OSError) -> RunRefused:
    """Return the refusal of a request that needs a history which cannot be read."""
    return RunRefused(code, f"The history of the run cannot be read: {error.strerror or error}")


def _source(user: User, run_id: str, request: PrepareRun, before: RunSource | None) -> RunSource | None:
    """Return what a request asks for; what it leaves out stays as before."""
    path = request.strategy_path or (before.strategy_path if before else None)
    if path is None:
        return None
    return RunSource(
        run_id=run_id,
        user=user,
        strategy_path=path,
        directory=request.cwd or (before.directory if before else None),
        model_override=request.model_override or (before.model_override if before else None),
    )


def _source_before(user: User, run: Run | None, history: History | None) -> RunSource | None:
    if run and run.plan:
        return run.plan.source
    return _source_of(user, history) if history else None


def _source_of(user: User, history: History) -> RunSource:
    started = history.started
    return RunSource(
        run_id=started.run_id,
        user=user,
        strategy_path=started.strategy_path,
        directory=started.directory,
        model_override=started.model_override,
    )


def _prepare_failed(message: str) -> RunRefused:
    return RunRefused(RunErrorCode.PREPARE_FAILED, message)
