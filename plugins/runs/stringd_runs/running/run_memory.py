"""The runs in memory: those in flight, and those that have ended recently."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from stringd.plugin import User
from stringd_runs.running.run import Run

MOST_ENDED = 1_000
KEPT_SECONDS = 3600.0


class RunMemory:
    """Runs by id; those that have ended leave after an hour, or when there are too many of them.

    A run that somebody follows stays, as long as there are others that can leave. `on_left` is called with
    each run that leaves.
    """

    def __init__(self, *, on_left: Callable[[Run], None]) -> None:
        self._on_left = on_left
        self._runs: dict[str, Run] = {}
        self._ended: dict[str, asyncio.TimerHandle] = {}

    def __iter__(self) -> Iterator[Run]:
        return iter(tuple(self._runs.values()))

    def of(self, user: User, run_id: str) -> Run | None:
        """Return a run of a user."""
        run = self._runs.get(run_id)
        return run if run and run.user.id == user.id else None

    def owner(self, run_id: str) -> str | None:
        """Return the id of the user whose run it is; None if it is not in memory."""
        run = self._runs.get(run_id)
        return run.user.id if run else None

    def add(self, run: Run) -> None:
        """Add a run in flight."""
        self._runs[run.id] = run

    def note_active(self, run: Run) -> None:
        """Note that a run is in flight again."""
        if timer := self._ended.pop(run.id, None):
            timer.cancel()

    def note_ended(self, run: Run) -> None:
        """Note that a run has ended, and have the oldest such runs leave if there are too many."""
        self.note_active(run)
        if self._runs.get(run.id) is not run:
            return
        self._ended[run.id] = self._timer(run)
        if len(self._ended) > MOST_ENDED:
            oldest = next((it for it in self._ended if not self._runs[it].feed.is_followed), None)
            self.forget(self._runs[oldest or next(iter(self._ended))])

    def forget(self, run: Run) -> None:
        """Have a run leave."""
        self.note_active(run)
        if self._runs.get(run.id) is run:
            del self._runs[run.id]
            run.leave()
            self._on_left(run)

    def release(self, user_id: str) -> list[Run]:
        """Have all runs of a user leave, which goes on elsewhere; return them."""
        released = [it for it in self if it.user.id == user_id]
        for run in released:
            self.note_active(run)
            del self._runs[run.id]
            run.leave()
        return released

    def close(self) -> None:
        """Have no run leave by itself any more."""
        for timer in self._ended.values():
            timer.cancel()

    def _timer(self, run: Run) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(KEPT_SECONDS, self._leave_unless_followed, run)

    def _leave_unless_followed(self, run: Run) -> None:
        if run.feed.is_followed:
            self._ended[run.id] = self._timer(run)
        else:
            self.forget(run)
