"""`/exec`: one shell command in the topic's directory."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path

from stringd.contracts.commands import Command, Invocation, TopicGroup
from stringd.contracts.replies import Reply
from stringd.contracts.sessions import Session
from stringd.documents.files import is_directory
from stringd.documents.paths import working_directory
from stringd.errors import Refusal
from stringd.exporting import exported, time_limit
from stringd.processes import run_shell

TIME_LIMIT = 120.0
NO_OUTPUT = "(no output)"


async def run(invocation: Invocation) -> Reply:
    """Run the command line and the lines below it with `bash -c`."""
    session, line = invocation.session, invocation.line
    command = "\n".join(part for part in (line.arguments, line.body) if part is not None)
    if "\0" in command:
        raise Refusal("INVALID_PAYLOAD", "A command can't hold a NUL character.")
    if not command.strip():
        raise Refusal("INVALID_PAYLOAD", "No command to execute.", f"Usage: {EXEC.usage}")
    directory, seconds = _directory(session), time_limit(session, TIME_LIMIT)
    try:
        finished = await run_shell(
            command, directory=directory, environment=_environment(session), seconds=seconds
        )
    except OSError as error:
        raise _unstartable(error) from error
    output = finished.output.removesuffix("\n") or NO_OUTPUT
    if finished.status is None:
        raise Refusal("TIMEOUT", f"Still running after {seconds:g} s, so it was ended.", output)
    code = f"EXIT_{finished.status}" if finished.status else None
    return Reply.output(f"exit: {finished.status} | cwd: {directory}", output, code=code)


def _directory(session: Session) -> Path:
    directory = working_directory(session)
    if not is_directory(directory, str(directory)):
        raise Refusal("NOT_FOUND", f"No such directory: {directory}")
    return directory


def _environment(session: Session) -> Mapping[str, str]:
    return {**os.environ, "HOME": str(session.user.home), **exported(session)}


def _unstartable(error: OSError) -> Refusal:
    if error.errno == errno.E2BIG:
        return Refusal("INVALID_PAYLOAD", "The command or a variable is too long to pass on.")
    return Refusal("EXEC_FAILED", f"bash can't be started: {error.strerror}")


EXEC = Command(
    name="exec",
    summary="Run one shell command in this topic's directory and show its output.",
    usage="/exec command",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
