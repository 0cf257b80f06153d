"""`/exec`: run one shell command in the topic's directory."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.documents.paths.resolving import working_directory
from stringd.errors import ErrorCode, Refusal
from stringd.events.output_feed import current_output
from stringd.processes.child_environment import shell_environment
from stringd.processes.exported_variables import exported
from stringd.processes.shell_command import exit_reply, run_one_shot

TIME_LIMIT = 120.0


async def run(invocation: Invocation) -> Reply:
    """Run the command line and the lines below it with `bash -c`."""
    session, line = invocation.session, invocation.line
    command = "\n".join(part for part in (line.arguments, line.body) if part is not None)
    if not command.strip():
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "No command to execute.", f"Usage: {EXEC.usage}")
    directory = working_directory(session)
    finished = await run_one_shot(
        command,
        session=session,
        directory=directory,
        environment=_environment(invocation),
        seconds=TIME_LIMIT,
        on_output=current_output().write,
        values=exported(session),
    )
    return exit_reply(finished, directory)


def _environment(invocation: Invocation) -> Mapping[str, str]:
    # The command has no terminal; TERM tells programs so.
    base = {**shell_environment(invocation.runtime, invocation.session), "TERM": "dumb"}
    return {**base, **exported(invocation.session)}


EXEC = Command(
    name="exec",
    summary="Run one shell command and show its output.",
    group="Programs",
    usage="/exec command",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
