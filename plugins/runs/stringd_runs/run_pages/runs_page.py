"""The page of runs in the console; what is behind it is imported with the first use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from stringd.plugin import Runtime
from stringd_console import ActionResult, ConsolePage, Download, PageRequest, View
from stringd_runs.run_pages.page_templates import TEMPLATES
from stringd_runs.running.run_event_kinds import RunEnded, RunStarted

if TYPE_CHECKING:
    from stringd_runs.run_pages.run_page_actions import RunPageActions
    from stringd_runs.run_pages.run_paths import RunPaths
    from stringd_runs.run_pages.watched_runs import WatchedRuns
    from stringd_runs.runs_service import RunsService

_POSITION = 30
_ACTIONS = ("answer", "begin", "proceed", "start", "steer", "stop")


def runs_page(runtime: Runtime, service: RunsService) -> ConsolePage:
    """Return the page of a daemon's runs."""
    behind = _Behind(runtime, service)
    return ConsolePage(
        name="runs",
        title="Runs",
        templates=TEMPLATES,
        view=behind.view,
        actions={name: behind.action(name) for name in _ACTIONS},
        downloads={"transcript": behind.transcript},
        is_of_users=True,
        here=behind.here,
        position=_POSITION,
        badge=lambda: service.active,
        badge_kinds=frozenset({RunStarted.kind, RunEnded.kind}),
    )


class _Behind:
    def __init__(self, runtime: Runtime, service: RunsService) -> None:
        self._runtime = runtime
        self._service = service

    @cached_property
    def _watched(self) -> WatchedRuns:
        from stringd_runs.run_pages.watched_runs import WatchedRuns

        return WatchedRuns(self._service.runs)

    @cached_property
    def _paths(self) -> RunPaths:
        from stringd_runs.run_pages.run_paths import RunPaths

        return RunPaths(self._runtime, self._service, self._watched)

    @cached_property
    def _actions(self) -> RunPageActions:
        from stringd_runs.run_pages.run_page_actions import RunPageActions

        return RunPageActions(self._runtime, self._service.runs, self._watched)

    def here(self) -> Mapping[str, Any]:
        from stringd_runs.run_pages.run_list import ACTIVE, active_rows

        return {ACTIVE: [asdict(it) for it in active_rows(self._runtime, self._service.runs.overview)]}

    async def view(self, request: PageRequest) -> View:
        return await self._paths.view(request)

    async def transcript(self, request: PageRequest) -> Download:
        return await self._paths.transcript(request)

    def action(self, name: str) -> Callable[[Mapping[str, str]], Awaitable[ActionResult]]:
        async def act(fields: Mapping[str, str]) -> ActionResult:
            result: ActionResult = await getattr(self._actions, name)(fields)
            return result

        return act
