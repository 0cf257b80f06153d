"""The list of all runs: those that are active, then those that have ended, page by page."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from stringd.plugin import (
    ErrorCode,
    EventFilter,
    QuestionAnswered,
    QuestionWithdrawn,
    Refusal,
    Runtime,
    UserRemoved,
)
from stringd_console import Item, PageRequest, Regions, View, asking_pause, own_name, rows_of_others
from stringd_runs.messages.daemon_replies import RunStatus
from stringd_runs.run_pages.figures import money, seconds_between, seconds_of
from stringd_runs.run_pages.page_templates import TEMPLATES
from stringd_runs.running.run_event_kinds import RunAsks, RunEnded, RunStarted, RunStep
from stringd_runs.running.run_overview import ListedRun, RunOverview

ACTIVE = "active"
"""The list of active runs, as nodes ask each other for it."""
ON_A_PAGE = 100
# What changes the runs that have ended.
_ENDS = frozenset({RunStarted.kind, RunEnded.kind, UserRemoved.kind})
_KINDS = _ENDS | {RunStep.kind, RunAsks.kind, QuestionAnswered.kind, QuestionWithdrawn.kind}
_STATES = {
    RunStatus.PENDING: ("prepared", "waiting"),
    RunStatus.RUNNING: ("running", "running"),
    RunStatus.COMPLETED: ("completed", "done"),
    RunStatus.ERROR: ("failed", "failed"),
    RunStatus.CANCELLED: ("stopped", "stopped"),
}


class Row(Struct, frozen=True, kw_only=True):
    """A run as the list shows it."""

    key: str
    path: str
    id: str
    strategy: str
    user: str
    word: str
    tone: str
    started: float | None
    since: str
    duration: float | None
    steps: int | None
    tokens: int | None
    cost: str
    outcome: str
    node: str = ""
    """Where it is active, in a cluster."""


class RunListPage:
    """Renders one page of the list."""

    def __init__(self, runtime: Runtime, overview: RunOverview, page: int) -> None:
        self._runtime = runtime
        self._overview = overview
        self._page = page
        self._ended: Sequence[ListedRun] = ()
        self._is_outdated = True

    def view(self) -> View:
        """Return the view."""
        return View(
            title="Runs",
            template="runs.html",
            regions=self._regions,
            changes=self._changes,
            pause=asking_pause(self._runtime),
        )

    async def _changes(self) -> AsyncGenerator[object, None]:
        with self._runtime.events.watch(EventFilter(kinds=_KINDS, everywhere=True)) as events:
            async for published in events:
                if published.event.kind in _ENDS:
                    self._is_outdated = True
                yield published

    async def _regions(self) -> Regions:
        if self._is_outdated:
            self._is_outdated = False
            self._ended = await self._overview.ended()
        active = [*active_rows(self._runtime, self._overview)]
        active += await rows_of_others(self._runtime, "runs", ACTIVE, Row)
        ids = {it.id for it in active}
        ended = [it for it in self._ended if it.summary.run_id not in ids]
        pages = max(1, math.ceil(len(ended) / ON_A_PAGE))
        page = min(self._page, pages)
        shown = ended[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]
        return {
            "summary": _part("summary", len(active), len(ended)),
            "active": tuple(map(_item, active)),
            "ended-head": _part("ended_head", page, pages) if ended else Markup(""),
            "ended": tuple(_item(_row(it)) for it in shown),
            "pages": _part("pager", page, pages),
        }


def active_rows(runtime: Runtime, overview: RunOverview) -> Sequence[Row]:
    """Return the runs that are active at this node."""
    node = own_name(runtime)
    return [replace(_row(it), node=node) for it in overview.active()]


def page_number(request: PageRequest) -> int:
    """Return the number of the page that is asked for, or refuse."""
    text = request.query.get("page", "1")
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 9 and int(text)):
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such page of runs.")
    return int(text)


def run_path(user_id: str, run_id: str) -> str:
    """Return the path of the page of a run."""
    return f"/console/runs/{quote(user_id, safe='', errors='replace')}/{quote(run_id, safe='')}"


def _row(run: ListedRun) -> Row:
    summary = run.summary
    word, tone = ("asks", "waiting") if run.asks else _STATES[summary.status]
    is_running = summary.status is RunStatus.RUNNING
    return Row(
        key=f"{run.user_id}/{summary.run_id}",
        path=run_path(run.user_id, summary.run_id),
        id=summary.run_id,
        strategy=summary.strategy_name,
        user=run.user_id,
        word=word,
        tone=tone,
        started=seconds_of(summary.started_at),
        since=summary.started_at if is_running else "",
        duration=seconds_between(summary.started_at, summary.completed_at),
        steps=run.steps,
        tokens=run.tokens,
        cost="" if run.cost is None else money(run.cost),
        outcome=" ".join(run.outcome.split()),
    )


@lru_cache(maxsize=2048)
def _item(row: Row) -> Item:
    return Item(key=row.key, html=TEMPLATES.macro("run_rows.html", "row")(row))


def _part(name: str, *values: Any) -> Markup:
    return TEMPLATES.macro("run_rows.html", name)(*values)
