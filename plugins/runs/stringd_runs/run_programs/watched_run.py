"""`stringd run`: prepare, start and show a run; return the exit code when it ends."""

from __future__ import annotations

import select
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from stringd.plugin import Fault
from stringd.plugin.cli import write_output
from stringd.plugin.files import real_path
from stringd.plugin.terminal_programs import Keyboard, is_terminal, read_all
from stringd_runs.messages.run_progress import RunProgress, RunState
from stringd_runs.run_programs.code_approver import code_approver
from stringd_runs.run_programs.message_feed import Message, MessageFeed
from stringd_runs.run_programs.run_daemon import RunDaemon, home_of, may_access
from stringd_runs.run_programs.run_dialogue import RunDialogue
from stringd_runs.run_programs.run_questions import LinesOfInput, PersonAtTerminal
from stringd_runs.run_programs.views import make_view

if TYPE_CHECKING:
    from stringd_runs.run_programs.run_questions import Respondent
    from stringd_runs.run_programs.views import View

_COMPLETED, _FAILED, _INTERRUPTED = 0, 1, 130
_TO_ALLOW = "to use strategies there: stringd users --allow {} --user {}"
_STANDARD_INPUT = 0
_PREPARE = "prepare_run"
_FROM_STANDARD_INPUT = "-"


class RunRequest(Struct, frozen=True, kw_only=True):
    """What is run, as whom, with which input and model, and how it is shown."""

    path: str
    user: str
    input: str
    model: str | None
    as_json: bool


def run_strategy(daemon: RunDaemon, request: RunRequest) -> int:
    """Run a strategy, and return the exit code of the program."""
    text = read_all() if request.input == _FROM_STANDARD_INPUT else request.input
    with MessageFeed(daemon.address, request.user, daemon.token) as feed:
        prepared = _prepare(feed, daemon, request)
        run_id, progress = prepared["runId"], RunProgress()
        progress.prepare(prepared["strategyName"], prepared["agents"], prepared["flowTree"])
        view = make_view(progress, as_json=request.as_json)
        if not request.as_json:
            view.note(f"run {run_id} of {progress.strategy}: {', '.join(progress.agents)}")
        with _respondent(daemon, view, feed) as respondent:
            dialogue = RunDialogue(feed, run_id, progress, view, respondent)
            try:
                dialogue.run(text)
            except (EOFError, KeyboardInterrupt):
                return _INTERRUPTED
            finally:
                view.leave()
    if not request.as_json:
        _print_result(progress, view)
    if progress.state is RunState.COMPLETED:
        return _COMPLETED
    return _INTERRUPTED if dialogue.is_stopped else _FAILED


def _prepare(feed: MessageFeed, daemon: RunDaemon, request: RunRequest) -> Message:
    directory = Path.cwd()
    fields = {
        "strategyPath": _strategy_path(daemon, request),
        "modelOverride": request.model,
        "cwd": str(directory) if may_access(daemon, request.user, directory) else None,
    }
    try:
        return _reply(feed, daemon, request.user, fields)
    except Fault as fault:
        path = Path(request.path)
        if not path.is_absolute() or may_access(daemon, request.user, path):
            raise
        raise Fault(f"{fault}; {_TO_ALLOW.format(real_path(path).parent, request.user)}") from fault


def _strategy_path(daemon: RunDaemon, request: RunRequest) -> str:
    """Return the path as the daemon needs it; without a working directory, one is relative to the home."""
    if daemon.address.is_remote:
        return request.path
    return str(home_of(daemon, request.user) / request.path)


def _reply(feed: MessageFeed, daemon: RunDaemon, user: str, fields: Mapping[str, Any]) -> Message:
    """Have a run prepared, however long its code waits for an approval, which may be given here."""
    if daemon.token is None:
        feed.send(_PREPARE, **fields)
        select.select([feed], [], [])
    else:
        is_person_there = _is_person_there()
        with code_approver(daemon.address, user, daemon.token, is_person_there=is_person_there) as approver:
            feed.send(_PREPARE, **fields)
            approver.await_reply(feed)
    return feed.reply(_PREPARE)


@contextmanager
def _respondent(daemon: RunDaemon, view: View, feed: MessageFeed) -> Iterator[Respondent]:
    if _is_person_there():
        with Keyboard(sys.stdin.fileno()) as keyboard:
            yield PersonAtTerminal(keyboard, view, feed)
    else:
        yield LinesOfInput(_STANDARD_INPUT, view, feed, are_others=daemon.has_others)


def _is_person_there() -> bool:
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def _print_result(progress: RunProgress, view: View) -> None:
    """Print the result, unless the terminal has just shown it as an agent's answer."""
    if not (is_terminal(sys.stdout) and view.last_text == progress.result):
        write_output(progress.result)
