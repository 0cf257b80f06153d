"""Replies of a bash topic: the state in the system line, the output below it."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Reply
from stringd.plugin.processes import exit_line, shell_reply
from stringd_bash.evaluation import Progress
from stringd_bash.running_shell import Result

_STATES = {Progress.WAITING: "waiting", Progress.RUNNING: "running", Progress.DISCONNECTED: "running"}


def progress_reply(progress: Progress, result: Result | None, cwd: str, parts: Iterable[str]) -> Reply:
    """Return the reply with the state of an evaluation and its new output."""
    return shell_reply(_state(progress, result), cwd, "\n".join(part for part in parts if part))


def state_reply(progress: Progress, result: Result | None, cwd: str) -> Reply:
    """Return the state alone, as another request gets the output and the error code."""
    line = exit_line(_state(progress, result), cwd)
    return Reply.output(line, "[the request that runs it gets the output]")


def idle_reply(status: int, cwd: str, note: str) -> Reply:
    """Return the reply of a shell that evaluates nothing."""
    return Reply.output(exit_line(status, cwd), f"[{note}]")


def _state(progress: Progress, result: Result | None) -> int | str:
    return result.status if result else _STATES[progress]
