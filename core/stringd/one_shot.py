"""One shell command of a topic's: how long it may run, and what the reply says about its end."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path

from stringd.config import parse_seconds
from stringd.contracts.replies import Reply
from stringd.contracts.sessions import Session
from stringd.errors import Refusal
from stringd.processes import OUTPUT_LIMIT, Finished, run_shell

NO_OUTPUT = "(no output)"


async def run_one_shot(
    command: str,
    *,
    session: Session,
    directory: Path,
    environment: Mapping[str, str],
    seconds: float,
    output_limit: int = OUTPUT_LIMIT,
) -> Finished:
    """Run a command to its end, within the seconds given or those that the topic's `{_timeout}` names."""
    if "\0" in command:
        raise Refusal("INVALID_PAYLOAD", "A command can't hold a NUL character.")
    _require(directory)
    seconds = time_limit(session, seconds)
    try:
        finished = await run_shell(
            command,
            directory=directory,
            environment=environment,
            seconds=seconds,
            output_limit=output_limit,
        )
    except OSError as error:
        raise _unstartable(error) from error
    if finished.status is None:
        message = f"Still running after {seconds:g} s, so it was ended."
        raise Refusal("TIMEOUT", message, shown_output(finished))
    return finished


def exit_reply(finished: Finished, directory: Path) -> Reply:
    """Return what a command answers: its status and where it ran, its output, and the code of a failure."""
    code = f"EXIT_{finished.status}" if finished.status else None
    system = f"exit: {finished.status} | cwd: {directory}"
    return Reply.output(system, shown_output(finished), code=code)


def shown_output(finished: Finished) -> str:
    """Return the output without its last newline, or what stands for none."""
    return finished.output.removesuffix("\n") or NO_OUTPUT


def _require(directory: Path) -> None:
    if not directory.is_dir():
        raise Refusal("NOT_FOUND", f"No such directory: {directory}")


def time_limit(session: Session, otherwise: float) -> float:
    """Return how many seconds a command of the topic may take: what its `{_timeout}` names, or as given."""
    value = session.state.variables.get("_timeout")
    if value is None:
        return otherwise
    seconds = parse_seconds(value)
    if seconds is None:
        raise Refusal("INVALID_PARAMS", f"{{_timeout}} must be a number of seconds, not {value!r}.")
    return seconds


def _unstartable(error: OSError) -> Refusal:
    if error.errno == errno.E2BIG:
        return Refusal("INVALID_PAYLOAD", "The command or a variable is too long to pass on.")
    return Refusal("EXEC_FAILED", f"bash can't be started: {error.strerror}")
