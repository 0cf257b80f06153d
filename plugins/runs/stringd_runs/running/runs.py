"""All runs of a daemon: the interface for connections, topics and lists.

To any user but its own, a run does not exist.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Iterable, Sequence
from operator import attrgetter

from stringd.plugin import Disconnected, Refusal, Runtime, User
from stringd.plugin.workers import STORAGE
from stringd_runs.histories.history_store import HistoryStore
from stringd_runs.messages.client_messages import Decision, PrepareRun
from stringd_runs.messages.daemon_replies import (
    PastConversation,
    RunErrorCode,
    RunPrepared,
    RunSummary,
)
from stringd_runs.messages.message_encoder import timestamp
from stringd_runs.messages.run_events import EncodedEvent, Subscriber
from stringd_runs.running.people import AskedPerson
from stringd_runs.running.recalled_runs import RecalledRuns
from stringd_runs.running.resumptions import Resumptions
from stringd_runs.running.run import Run
from stringd_runs.running.run_memory import RunMemory
from stringd_runs.running.run_overview import RunOverview
from stringd_runs.running.run_preparer import USER_REMOVED, RunPreparer
from stringd_runs.running.run_refused import RunRefused
from stringd_runs.running.strategy_loader import StrategyLoader
from stringd_runs.tools.run_topics import end_topics, run_topics

SHUT_DOWN = "the daemon is shutting down"
CLEAN_UP_SECONDS = 1.5
"""How long agents may take to clean up when the daemon stops."""


class Runs:
    """The runs in memory and in the store. Use it only in the thread of the event loop."""

    def __init__(self, runtime: Runtime, store: HistoryStore, loader: StrategyLoader) -> None:
        self._runtime = runtime
        self._store = store
        self._loader = loader
        self._memory = RunMemory(on_left=self._end_topics)
        self._ending: set[asyncio.Task[None]] = set()
        self._recalled = RecalledRuns(store, self._memory, runtime.events)
        self._preparer = RunPreparer(store, loader, self._memory, runtime)
        self._resumptions = Resumptions(runtime, store, loader, self._recalled, self._preparer)
        self.overview = RunOverview(store, self._memory)

    @property
    def active(self) -> int:
        """How many runs are pending or running."""
        return sum(it.is_active for it in self._memory)

    async def prepare(
        self,
        user: User,
        request: PrepareRun,
        subscriber: Subscriber | None = None,
        *,
        disconnected: Disconnected | None = None,
    ) -> RunPrepared:
        """Prepare a new run or a continuation, or attach to a run in flight; subscribe to it.

        The question whether code may run is withdrawn when `disconnected` returns. Raises `RunRefused` with
        `PREPARE_FAILED`; whatever there was before is then unchanged.
        """
        await self._resumptions.begun(user.id)
        run, plan = await self._preparer.prepare(user, request, disconnected)
        if subscriber:
            run.feed.subscribe(subscriber)
        return plan.reply()

    def prepared(self, user: User, run_id: str) -> RunPrepared | None:
        """Return what a run is going to run; None if it is not pending."""
        run = self._memory.of(user, run_id)
        return run.plan.reply() if run and run.plan and not run.execution else None

    def summary(self, user: User, run_id: str) -> RunSummary | None:
        """Return a run as lists show it; None if it is not in memory."""
        run = self._memory.of(user, run_id)
        return run.summary if run else None

    def start(self, user: User, run_id: str, text: str, request_id: str | None) -> None:
        """Start a prepared run, or raise `RunRefused` with `START_FAILED`."""
        self._start(user, run_id, text, request_id, is_continuation=False)

    def continue_run(self, user: User, run_id: str, text: str, request_id: str | None) -> None:
        """Start a prepared continuation, or raise `RunRefused` with `CONTINUE_FAILED`."""
        self._start(user, run_id, text, request_id, is_continuation=True)

    def stop(self, user: User, run_id: str) -> None:
        """Stop a run if it is pending or running."""
        if run := self._memory.of(user, run_id):
            run.stop()

    def steer(self, user: User, run_id: str, text: str) -> None:
        """Queue a text for the next call of a model, or raise `RunRefused` with `RUN_NOT_STEERABLE`."""
        self._known(user, run_id, RunErrorCode.RUN_NOT_STEERABLE).steer(text)

    def answer(
        self, user: User, run_id: str, agent: str | None, text: str, through: str, number: int | None = None
    ) -> None:
        """Answer the question to a person, to the first one who is asked, or with a number of `asked`.

        Raises `RunRefused` with `NO_PENDING_INPUT` if there is none. `through` names the front end.
        """
        run = self._memory.of(user, run_id)
        if run is None or run.execution is None:
            raise RunRefused(RunErrorCode.NO_PENDING_INPUT, f"The run {run_id} is not running.")
        run.execution.people.answer(agent, text, through, number)

    def asked(self, user: User, run_id: str) -> Sequence[AskedPerson]:
        """Return the people whom a run asks now."""
        run = self._memory.of(user, run_id)
        return run.execution.people.asked if run and run.execution else ()

    def decide(
        self, user: User, run_id: str, permission_id: str, decision: Decision, *, is_operator: bool
    ) -> None:
        """Decide about a permission, or raise `RunRefused` with `NO_PENDING_PERMISSION`."""
        run = self._memory.of(user, run_id)
        if run is None:
            raise RunRefused(RunErrorCode.NO_PENDING_PERMISSION, f"The run {run_id} is not running.")
        run.decide(permission_id, decision, is_operator=is_operator)

    def can_subscribe_at_once(self, user: User, run_id: str, after_seq: int | None = None) -> bool:
        """Whether `subscribe` need not look at the store."""
        run = self._memory.of(user, run_id)
        return run is not None and (after_seq is None or run.feed.missing(after_seq) is None)

    def subscribe_at_once(
        self, user: User, run_id: str, subscriber: Subscriber, after_seq: int | None = None
    ) -> None:
        """Do the same as `subscribe`, if that need not look at the store."""
        self._known(user, run_id, RunErrorCode.SUBSCRIBE_ERROR).feed.subscribe(subscriber, after_seq)

    async def subscribe(
        self, user: User, run_id: str, subscriber: Subscriber, after_seq: int | None = None
    ) -> None:
        """Deliver the events of a run from now on, or those after a number.

        Raises `RunRefused` with `SUBSCRIBE_ERROR` if neither memory nor the store has the run.
        """
        await self._resumptions.begun(user.id)
        stored: list[EncodedEvent] = []
        read_to = given_after = after_seq or 0
        while True:
            # Whatever takes time, the run may leave memory meanwhile.
            run = self._memory.of(user, run_id) or await self._recalled.run(user, run_id)
            missing = run.feed.missing(read_to) if after_seq is not None else None
            if missing is None:
                break
            events = await self._recalled.events(run_id, *missing)
            read_to = missing[1]
            if run.feed.has(subscriber):
                stored += events
            else:
                await _replay(events, subscriber)
                after_seq = read_to
        run.feed.subscribe(subscriber, after_seq, stored)
        if after_seq is not None:
            run.feed.note_given(subscriber, given_after)

    def unsubscribe(self, user: User, run_id: str, subscriber: Subscriber) -> None:
        """Deliver no more events of a run."""
        if run := self._memory.of(user, run_id):
            run.feed.unsubscribe(subscriber)

    def forget_subscriber(self, subscriber: Subscriber) -> None:
        """Deliver no more events of any run."""
        for run in self._memory:
            run.feed.unsubscribe(subscriber)

    def summaries(self, user: User) -> Sequence[RunSummary]:
        """Return the runs in memory, the newest first."""
        return _newest_first(it.summary for it in self._memory if it.user.id == user.id)

    async def stored(self, user: User, directory: str | None = None) -> Sequence[RunSummary]:
        """Return the runs in the store, the newest first: all, or those of a working directory."""
        wanted = None
        if directory is not None:
            try:
                wanted = str(await STORAGE.run(self._loader.directory, user, directory))
            except Refusal:
                return ()
        found = {
            it.run_id: (it.directory, it.summary())
            for it in await self._store.ended(user.id)
            if it.user_id == user.id
        }
        for run in self._memory:
            if run.user.id == user.id and run.execution:
                found[run.id] = (str(run.execution.directory), run.summary)
        return _newest_first(it for place, it in found.values() if wanted in (None, place))

    async def conversation(self, user: User, run_id: str) -> PastConversation | None:
        """Return what was said in a run so far; None if neither memory nor the store has it."""
        run = self._memory.of(user, run_id)
        if run and run.plan:
            return run.plan.remembered.conversation()
        history = await self._recalled.history(user, run_id, RunErrorCode.PREPARE_FAILED)
        return history.remembered.conversation() if history else None

    async def end_left_topics(self, of_user: str | None = None) -> None:
        """End the topics that runs have left behind in an earlier life of the daemon, or on another node."""
        ended = {(it.user_id, it.run_id) for it in await self._store.ended(of_user)}
        for user_id, run_id, _ in tuple(run_topics(self._runtime)):
            is_left = (user_id, run_id) in ended and self._memory.owner(run_id) != user_id
            if is_left and of_user in (None, user_id):
                await end_topics(self._runtime, user_id, run_id)

    async def resume(self, user_id: str) -> None:
        """Go on with the runs of a user that were interrupted, and end what others have left behind."""
        await self._resumptions.resume(user_id)
        await self.end_left_topics(user_id)

    def release(self, user_id: str) -> None:
        """Do nothing more for a user, at once: another node goes on with the runs."""
        for run in self._memory.release(user_id):
            run.suspend()

    async def forget_user(self, user_id: str, removed_at: float) -> None:
        """Stop the runs of a user who was removed, and remove their histories."""
        removed = timestamp(removed_at)
        # A user of the same id may have been added meanwhile.
        gone = [it for it in self._memory if it.user.id == user_id and it.user.created_at < removed]
        for run in gone:
            run.stop(USER_REMOVED)
        for run in gone:
            await run.wait()
            self._memory.forget(run)
        ended = await self._store.ended(user_id)
        stored = (it.run_id for it in ended if it.user_id == user_id and it.completed_at <= removed)
        await self._store.remove({*stored, *(it.id for it in gone)})

    async def close(self) -> None:
        """Stop all runs, and return once their ends are stored and delivered; the daemon is stopping.

        Where other nodes can go on with them, they are suspended instead.
        """
        self._preparer.close(SHUT_DOWN)
        active = [it for it in self._memory if it.is_active]
        loop = asyncio.get_running_loop()
        for run in active:
            if self._store.is_shared:
                run.suspend()
            else:
                run.stop(SHUT_DOWN)
            loop.call_later(CLEAN_UP_SECONDS, run.abandon)
        for run in active:
            await run.wait()
        self._memory.close()

    def _start(
        self, user: User, run_id: str, text: str, request_id: str | None, *, is_continuation: bool
    ) -> None:
        code = RunErrorCode.CONTINUE_FAILED if is_continuation else RunErrorCode.START_FAILED
        run = self._known(user, run_id, code)
        if run.execution:
            raise RunRefused(code, f"The run {run_id} has already been started.")
        if run.plan is None:
            raise RunRefused(code, f"The run {run_id} is not prepared: prepare it first.")
        if run.plan.is_continuation != is_continuation:
            right = "start" if is_continuation else "continue"
            been = "not been" if is_continuation else "been"
            raise RunRefused(code, f"The run {run_id} has {been} started before: {right} it.")
        run.start(text, request_id, runtime=self._runtime, store=self._store, run_flow=self._loader.run_flow)

    def _known(self, user: User, run_id: str, code: RunErrorCode) -> Run:
        run = self._memory.of(user, run_id)
        if run is None:
            raise RunRefused(code, f"There is no run {run_id} in memory: prepare it first.")
        return run

    def _end_topics(self, run: Run) -> None:
        """End the topics of a run that leaves memory, in a task of their own."""
        ending = end_topics(self._runtime, run.user.id, run.id)
        task = asyncio.get_running_loop().create_task(ending, context=contextvars.Context())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _newest_first(summaries: Iterable[RunSummary]) -> Sequence[RunSummary]:
    return sorted(summaries, key=attrgetter("started_at"), reverse=True)


async def _replay(events: Sequence[EncodedEvent], subscriber: Subscriber) -> None:
    """Deliver stored events, as fast as they are read."""
    for event in events:
        subscriber.deliver(event)
        await subscriber.drained()
