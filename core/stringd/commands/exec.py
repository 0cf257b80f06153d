"""`/exec`: run one shell command in the topic's directory."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.config import parse_seconds
from stringd.documents.paths.resolving import working_directory
from stringd.errors import ErrorCode, Refusal
from stringd.events.output_feed import current_output
from stringd.processes.child_environment import shell_environment
from stringd.processes.exported_variables import exported, time_limit
from stringd.processes.shell_command import exit_reply, run_one_shot

TIME_LIMIT = 120.0
_FLAG = "--timeout"
_TIMEOUT = re.compile(rf"{_FLAG}(?:[ \t]+|=)(?P<seconds>\S*)[ \t]*")


async def run(invocation: Invocation) -> Reply:
    """Run the command line and the lines below it with `bash -c`."""
    session, line = invocation.session, invocation.line
    seconds, arguments = _time_limit(line.arguments)
    command = "\n".join(part for part in (arguments, line.body) if part is not None)
    if not command.strip():
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "No command to execute.", f"Usage: {EXEC.usage}")
    directory = working_directory(session)
    finished = await run_one_shot(
        command,
        directory=directory,
        environment=_environment(invocation),
        seconds=time_limit(session.state, TIME_LIMIT) if seconds is None else seconds,
        on_output=current_output().write,
        values=exported(session),
    )
    return exit_reply(finished, directory)


def _time_limit(arguments: str) -> tuple[float | None, str]:
    """Return the seconds that were given for this command alone, and the command."""
    found = _TIMEOUT.match(arguments)
    if found is None:
        return None, arguments
    seconds = parse_seconds(found["seconds"])
    if seconds is None:
        message = f"{_FLAG} takes a number of seconds, not {found['seconds']!r}."
        raise Refusal(ErrorCode.INVALID_PARAMS, message, f"Usage: {EXEC.usage}")
    return seconds, arguments[found.end() :]


def _environment(invocation: Invocation) -> Mapping[str, str]:
    # The command has no terminal; TERM tells programs so.
    base = {**shell_environment(invocation.runtime, invocation.session), "TERM": "dumb"}
    return {**base, **exported(invocation.session)}


EXEC = Command(
    name="exec",
    summary="Run one shell command and show its output.",
    group="Programs",
    usage=f"/exec [{_FLAG} SECONDS] command",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
