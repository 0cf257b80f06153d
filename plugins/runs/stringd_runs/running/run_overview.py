"""The runs of all users, for the person whose daemon it is."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from stringd_runs.histories.history_records import ExecutionEnded
from stringd_runs.histories.history_store import HistoryStore
from stringd_runs.messages.daemon_replies import RunSummary
from stringd_runs.running.run import Run
from stringd_runs.running.run_memory import RunMemory


class ListedRun(Struct, frozen=True, kw_only=True):
    """A run with the figures of its latest execution, as far as they are known."""

    user_id: str
    summary: RunSummary
    steps: int | None = None
    tokens: int | None = None
    cost: float | None = None
    outcome: str = ""
    asks: bool = False
    """Whether a person is asked."""


class RunOverview:
    """Lists the runs in memory and in the store."""

    def __init__(self, store: HistoryStore, memory: RunMemory) -> None:
        self._store = store
        self._memory = memory

    def active(self) -> Sequence[ListedRun]:
        """Return the runs that are pending or running, the newest first."""
        return _newest_first([_active(it) for it in self._memory if it.is_active])

    async def ended(self) -> Sequence[ListedRun]:
        """Return the runs that have ended, the newest first; they may have been continued since."""
        return _newest_first([_ended(it) for it in await self._store.ended()])


def _newest_first(runs: list[ListedRun]) -> Sequence[ListedRun]:
    return sorted(runs, key=lambda it: it.summary.started_at, reverse=True)


def _active(run: Run) -> ListedRun:
    execution = run.execution
    if execution is None:
        return ListedRun(user_id=run.user.id, summary=run.summary)
    usage = execution.calls.usage
    return ListedRun(
        user_id=run.user.id,
        summary=run.summary,
        steps=execution.calls.steps,
        tokens=usage.prompt_tokens + usage.completion_tokens,
        cost=execution.calls.cost,
        asks=bool(execution.people.asked),
    )


def _ended(end: ExecutionEnded) -> ListedRun:
    tokens = None
    if end.prompt_tokens is not None and end.completion_tokens is not None:
        tokens = end.prompt_tokens + end.completion_tokens
    return ListedRun(
        user_id=end.user_id,
        summary=end.summary(),
        steps=end.steps,
        tokens=tokens,
        cost=end.cost,
        outcome=end.outcome or "",
    )
