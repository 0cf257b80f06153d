"""What people do to runs on their pages, each for the user whose run it is."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from stringd.plugin import ErrorCode, Refusal, Runtime, UnknownUser, User
from stringd_console import ActionResult
from stringd_runs.messages.client_messages import PrepareRun
from stringd_runs.run_pages.run_list import run_path
from stringd_runs.run_pages.strategy_lines import lines_around
from stringd_runs.run_pages.watched_runs import WatchedRuns
from stringd_runs.running.run_refused import RunRefused
from stringd_runs.running.runs import Runs

_DRY_MODEL = "scripted/echo"
_THROUGH = "console"
_ID_BYTES = 6
_PREPARE_SECONDS = 3.0
_START = "start"
_LONGEST_DRAFT = 100_000


class RunPageActions:
    """The actions of the pages of runs."""

    def __init__(self, runtime: Runtime, runs: Runs, watched: WatchedRuns) -> None:
        self._runtime = runtime
        self._runs = runs
        self._watched = watched
        self._preparing: set[asyncio.Task[None]] = set()

    async def start(self, fields: Mapping[str, str]) -> ActionResult:
        """Prepare a strategy, and start it unless the person wants to look first."""
        user_id, path = _strategy(fields)
        user, run_id = self._user(user_id), secrets.token_hex(_ID_BYTES)
        request = PrepareRun(
            strategy_path=path,
            run_id=run_id,
            cwd=fields.get("cwd", "").strip() or None,
            model_override=_DRY_MODEL if fields.get("dry") else fields.get("model", "").strip() or None,
        )
        text, starts = fields.get("input", ""), fields.get("then") == _START
        task = asyncio.create_task(self._prepare(user, request, text if starts else None))
        self._preparing.add(task)
        task.add_done_callback(self._preparing.discard)
        done, _ = await asyncio.wait({task}, timeout=_PREPARE_SECONDS)
        if not done:
            task.add_done_callback(_ignore_outcome)
            return ActionResult(go="/console/questions")
        await self._report(task, user)
        if not starts:
            self._watched.watched(user, run_id).draft = text[:_LONGEST_DRAFT]
        return ActionResult(go=run_path(user.id, run_id))

    async def begin(self, fields: Mapping[str, str]) -> ActionResult:
        """Start what is prepared."""
        user, run_id = self._run(fields)
        text = fields.get("input", "")
        with _refusals():
            prepared = self._runs.prepared(user, run_id)
            if prepared and prepared.conversation.inputs:
                self._runs.continue_run(user, run_id, text, None)
            else:
                self._runs.start(user, run_id, text, None)
        return ActionResult()

    async def proceed(self, fields: Mapping[str, str]) -> ActionResult:
        """Run the flow again, by agents that remember."""
        user, run_id = self._run(fields)
        with _refusals():
            await self._runs.prepare(user, PrepareRun(run_id=run_id))
            self._runs.continue_run(user, run_id, fields.get("input", ""), None)
        return ActionResult()

    async def steer(self, fields: Mapping[str, str]) -> ActionResult:
        """Queue a text for the next call of a model."""
        user, run_id = self._run(fields)
        text = fields.get("text", "")
        if not text.strip():
            raise Refusal(ErrorCode.INVALID_PARAMS, "A text is needed that the next call of a model gets.")
        with _refusals():
            self._runs.steer(user, run_id, text)
        return ActionResult(notice="Queued for the next call of a model.")

    async def answer(self, fields: Mapping[str, str]) -> ActionResult:
        """Answer the question to a person: the one that was shown, not a later one to the same agent."""
        user, run_id = self._run(fields)
        agent, number = fields.get("agent", ""), fields.get("question", "")
        if not number.isdecimal():
            raise Refusal(ErrorCode.INVALID_PARAMS, "The number of the question is needed.")
        with _refusals():
            self._runs.answer(user, run_id, agent, fields.get("text", ""), _THROUGH, int(number))
        return ActionResult(notice="Answered.")

    async def stop(self, fields: Mapping[str, str]) -> ActionResult:
        """Stop a run, or discard what is prepared."""
        user, run_id = self._run(fields)
        prepared = self._runs.prepared(user, run_id)
        self._runs.stop(user, run_id)
        is_new = prepared is not None and not prepared.conversation.inputs
        return ActionResult(go="/console/runs" if is_new else "")

    async def _report(self, task: asyncio.Task[None], user: User) -> None:
        """Refuse as the preparation was, and show the lines of the strategy that are wrong."""
        try:
            task.result()
        except RunRefused as refused:
            reason, *context = refused.message.split("\n")
            around = await lines_around(context[-1], user, self._runtime) if context else ()
            raise Refusal(str(refused.code), reason, *context, *around) from refused

    async def _prepare(self, user: User, request: PrepareRun, text: str | None) -> None:
        await self._runs.prepare(user, request)
        if text is not None and request.run_id:
            self._runs.start(user, request.run_id, text, None)

    def _run(self, fields: Mapping[str, str]) -> tuple[User, str]:
        return self._user(fields.get("user", "")), fields.get("run", "")

    def _user(self, user_id: str) -> User:
        try:
            return self._runtime.user(user_id)
        except UnknownUser as unknown:
            raise Refusal(ErrorCode.NOT_FOUND, str(unknown)) from unknown


def _strategy(fields: Mapping[str, str]) -> tuple[str, str]:
    """Return the user and the path that are chosen or typed."""
    user_id, _, path = fields.get("strategy", "").partition("/")
    typed = fields.get("file", "").strip()
    if typed or not path:
        user_id, path = fields.get("user", ""), typed
    if not path:
        raise Refusal(ErrorCode.INVALID_PARAMS, "Choose a strategy, or type the path of a file.")
    return user_id, path


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except RunRefused as refused:
        reason, *context = refused.message.split("\n")
        raise Refusal(str(refused.code), reason, *context) from refused


def _ignore_outcome(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()
