"""Run CLI actions: a command line of the document's author, with the arguments of a caller."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from stringd.actions.answers import Answer
from stringd.actions.environment.action_environment import Environment
from stringd.actions.shell.analysed_command import analyse_command
from stringd.actions.shell.analysis.findings import Finding
from stringd.actions.shell.command_text import CommandText
from stringd.actions.values.placeholders import ReadFile
from stringd.actions.values.typed_values import Value
from stringd.api.replies import Reply
from stringd.api.sessions import Session
from stringd.documents.syntax.actions import Action
from stringd.errors import ErrorCode, Refusal
from stringd.events.output_feed import current_output
from stringd.processes.child_environment import author_environment
from stringd.processes.exported_variables import is_reserved, time_limit
from stringd.processes.process_group import Finished
from stringd.processes.shell_command import exit_reply, run_one_shot

TIME_LIMIT = 180.0


async def run_cli(
    action: Action,
    values: Mapping[str, Value],
    environment: Environment,
    *,
    directory: Path,
    session: Session,
    read_file: ReadFile,
) -> Answer | Reply:
    """Run the command and return its answer, or the reply for its failure status."""
    line = analyse_command(action.target, action.parameters)
    if line.findings:
        raise _refusal_of(line.findings)
    filled = CommandText(line, values, environment.package, read_file)
    finished = await run_one_shot(
        filled.text,
        directory=directory,
        environment={**_secret_environment(environment), **author_environment(session), **filled.environment},
        seconds=time_limit(session.state, TIME_LIMIT),
        on_output=current_output().write,
        values={name: environment.mask(it) for name, it in filled.environment.items()},
    )
    return exit_reply(finished, directory) if finished.status else _answer(finished)


def _refusal_of(findings: Sequence[Finding]) -> Refusal:
    """Return the refusal of a command that might evaluate a value, whatever the values of this call are."""
    first, *others = findings
    context = (f"{it.message}. {it.remedy}" for it in others)
    return Refusal(ErrorCode.NOT_TRUSTED, f"{first.message}.", first.remedy, *context)


def _secret_environment(environment: Environment) -> Mapping[str, str]:
    return {name: value for name, value in environment.secrets.items() if not is_reserved(name)}


def _answer(finished: Finished) -> Answer:
    output = finished.output
    body = _body(output)
    media_type = "text/plain" if isinstance(body, str) else "application/json"
    text = output.removesuffix("\n")
    return Answer(body=body, text=text, media_type=media_type, whole=finished.whole)


def _body(output: str) -> object:
    """Return the decoded JSON of the output, or its text; numbers stay text."""
    try:
        body = json.loads(output)
    except (ValueError, RecursionError):
        return output.removesuffix("\n")
    return output.strip() if isinstance(body, int | float) and not isinstance(body, bool) else body
