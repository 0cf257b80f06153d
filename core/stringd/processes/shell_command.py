"""Run one shell command for a topic: check it, limit its time, and convert the result to a reply."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from stringd.api.effects import ShellRun, permit
from stringd.api.replies import Reply
from stringd.errors import ErrorCode, Refusal
from stringd.processes.output_pipe import OnOutput
from stringd.processes.process_group import Finished, run_shell
from stringd.text.escaping import printable

NO_OUTPUT = "(no output)"


async def run_one_shot(
    command: str,
    *,
    directory: Path,
    environment: Mapping[str, str],
    seconds: float,
    on_output: OnOutput | None = None,
    values: Mapping[str, str] | None = None,
) -> Finished:
    """Run a command to its end, for at most `seconds`.

    `on_output` gets the output as it comes. Raises `Refusal` if a guard does not permit it; guards see the
    `values` of variables that the topic adds to the environment, with secrets masked.
    """
    if "\0" in command:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "A command can't hold a NUL character.")
    _require(directory)
    await permit(ShellRun(text=command, directory=directory, values=values or {}))
    try:
        finished = await run_shell(
            command,
            directory=directory,
            environment=environment,
            seconds=seconds,
            on_output=on_output,
        )
    except OSError as error:
        raise _start_refusal(error) from error
    if finished.status is None:
        message = f"Still running after {seconds:g} s, so it was ended."
        refusal = Refusal(ErrorCode.TIMEOUT, message, _output_of(finished) or NO_OUTPUT)
        refusal.whole = (f"{message}\n", finished.whole) if finished.whole else ()
        raise refusal
    return finished


def exit_reply(finished: Finished, directory: Path) -> Reply:
    """Return the reply for a finished command: its status and directory, then its output."""
    reply = shell_reply(finished.status or 0, str(directory), _output_of(finished))
    return replace(reply, whole=(finished.whole,)) if finished.whole else reply


def _output_of(finished: Finished) -> str:
    return finished.output.removesuffix("\n")


def _require(directory: Path) -> None:
    if not os.path.isdir(directory):  # noqa: PTH112 - Path.is_dir raises PermissionError
        raise Refusal(ErrorCode.NOT_FOUND, f"No such directory: {directory}")


def _start_refusal(error: OSError) -> Refusal:
    if error.errno == errno.E2BIG:
        return Refusal(ErrorCode.INVALID_PAYLOAD, "The command or a variable is too long to pass on.")
    return Refusal(ErrorCode.EXEC_FAILED, f"bash can't be started: {error.strerror}")


def exit_line(state: int | str, directory: str) -> str:
    """Return the system line: an exit status or the state of a running program, and the directory."""
    # A directory name may hold line breaks, which would forge the lines below this one.
    return f"exit: {state} | cwd: {printable(directory)}"


def shell_reply(state: int | str, directory: str, output: str) -> Reply:
    """Return the reply for a command in a state; a status other than 0 is an error code."""
    code = f"EXIT_{state}" if isinstance(state, int) and state else None
    return Reply.output(exit_line(state, directory), output or NO_OUTPUT, code=code)
