"""What the paths of the page of runs show."""

from __future__ import annotations

from stringd.plugin import ErrorCode, Refusal, Runtime, UnknownUser, User
from stringd_console import Download, PageRequest, View
from stringd_runs.messages.field_checks import is_run_id
from stringd_runs.run_pages.new_run import NewRun
from stringd_runs.run_pages.run_list import RunListPage, page_number
from stringd_runs.run_pages.run_view import RunView
from stringd_runs.run_pages.transcript_file import transcript_download
from stringd_runs.run_pages.watched_runs import WatchedRuns
from stringd_runs.runs_service import RunsService

_LONGEST_STEP = 500


class RunPaths:
    """Finds the view or the download of a path."""

    def __init__(self, runtime: Runtime, service: RunsService, watched: WatchedRuns) -> None:
        self._runtime = runtime
        self._service = service
        self._watched = watched

    async def view(self, request: PageRequest) -> View:
        """Return the view of a path, or refuse."""
        service = self._service
        match request.path:
            case () | ("",):
                return RunListPage(self._runtime, service.runs.overview, page_number(request)).view()
            case ("new",):
                return NewRun(self._runtime, service.providers, request.query.get("strategy", "")).view()
        user, run_id = self._run(request)
        step = request.query.get("step", "")[:_LONGEST_STEP]
        view = RunView(self._runtime, service.runs, self._watched, user, run_id, step)
        return await view.view()

    async def transcript(self, request: PageRequest) -> Download:
        """Return the transcript of the run that a path names, or refuse."""
        run = self._watched.watched(*self._run(request))
        return await transcript_download(self._service.runs, run)

    def _run(self, request: PageRequest) -> tuple[User, str]:
        """Return the user and the id that a path names, or refuse."""
        no_run = Refusal(ErrorCode.NOT_FOUND, "There is no such run.")
        match request.path:
            case (user_id, run_id) if is_run_id(run_id):
                try:
                    return self._runtime.user(user_id), run_id
                except UnknownUser:
                    raise no_run from None
        raise no_run
