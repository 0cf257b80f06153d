"""Runs of the store: their histories, and how they come back into memory."""

from __future__ import annotations

from collections.abc import Sequence

from stringd.plugin import Events, User
from stringd_runs.histories.history import History
from stringd_runs.histories.history_store import HistoryStore
from stringd_runs.messages.daemon_replies import RunErrorCode
from stringd_runs.messages.run_events import EncodedEvent
from stringd_runs.running.run import Run
from stringd_runs.running.run_memory import RunMemory
from stringd_runs.running.run_preparer import history_unreadable, stored_history
from stringd_runs.running.run_publisher import published_feed
from stringd_runs.running.run_refused import RunRefused


class RecalledRuns:
    """Finds what the store has of the runs of a user."""

    def __init__(self, store: HistoryStore, memory: RunMemory, events: Events) -> None:
        self._store = store
        self._memory = memory
        self._events = events

    async def run(self, user: User, run_id: str) -> Run:
        """Return a run of the store, which is in memory from then on; raise `RunRefused` if there is none."""
        history = await self.history(user, run_id, RunErrorCode.SUBSCRIBE_ERROR)
        if history is None:
            raise RunRefused(RunErrorCode.SUBSCRIBE_ERROR, "Run not found")
        return self.of_history(user, history)

    def of_history(self, user: User, history: History) -> Run:
        """Return the run of a history, which is in memory from then on."""
        run_id = history.started.run_id
        if run := self._memory.of(user, run_id):
            return run
        feed = published_feed(self._events, user.id, run_id, history.last_seq)
        run = Run(history.summary(), user, feed, on_ended=self._memory.note_ended)
        self._memory.add(run)
        self._memory.note_ended(run)
        return run

    def forget(self, run: Run) -> None:
        """Have a run leave memory, so that its state is read from the store."""
        self._memory.forget(run)

    async def events(self, run_id: str, after: int, up_to: int) -> Sequence[EncodedEvent]:
        """Return the stored events after a number, up to another, or raise `RunRefused`."""
        try:
            return await self._store.events(run_id, after=after, up_to=up_to)
        except OSError as error:
            raise history_unreadable(RunErrorCode.SUBSCRIBE_ERROR, error) from error

    async def history(self, user: User, run_id: str, code: RunErrorCode) -> History | None:
        """Return the history of a run, None if the user has none; raise `RunRefused` if it can't be read."""
        history = await stored_history(self._store, run_id, code)
        return history if history and history.started.user_id == user.id else None
