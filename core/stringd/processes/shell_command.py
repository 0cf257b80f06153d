"""One shell command of a topic's: how long it may run, and what the reply says about its end."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path

from stringd.api.replies import Reply
from stringd.api.sessions import Session
from stringd.errors import Refusal
from stringd.processes.exported_variables import time_limit
from stringd.processes.process_group import OUTPUT_LIMIT, Finished, run_shell
from stringd.text.printable import printable

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
    seconds = time_limit(session.state, seconds)
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
    system = f"exit: {finished.status} | cwd: {printable(str(directory))}"
    return Reply.output(system, shown_output(finished), code=code)


def shown_output(finished: Finished) -> str:
    """Return the output without its last newline, or what stands for none."""
    return finished.output.removesuffix("\n") or NO_OUTPUT


def _require(directory: Path) -> None:
    if not os.path.isdir(directory):  # noqa: PTH112 - a Path raises where it may not look
        raise Refusal("NOT_FOUND", f"No such directory: {directory}")


def _unstartable(error: OSError) -> Refusal:
    if error.errno == errno.E2BIG:
        return Refusal("INVALID_PAYLOAD", "The command or a variable is too long to pass on.")
    return Refusal("EXEC_FAILED", f"bash can't be started: {error.strerror}")
