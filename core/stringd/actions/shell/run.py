"""CLI actions: a command line of an author's, run with a caller's values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from stringd.actions.action_environment import Environment
from stringd.actions.answers import Answer
from stringd.actions.arguments.values import Value
from stringd.actions.placeholders import ReadFile
from stringd.actions.shell.analysis.findings import Unproved
from stringd.actions.shell.command_line import CommandText
from stringd.actions.shell.slots import read_command_line
from stringd.api.replies import Reply
from stringd.api.sessions import Session
from stringd.documents.syntax.actions import Action
from stringd.errors import Refusal
from stringd.processes.child_environment import author_environment
from stringd.processes.exported_variables import is_reserved
from stringd.processes.shell_command import exit_reply, run_one_shot

TIME_LIMIT = 180.0
OUTPUT_LIMIT = 10 * 1024 * 1024


async def run_cli(
    action: Action,
    values: Mapping[str, Value],
    environment: Environment,
    *,
    directory: Path,
    session: Session,
    read_file: ReadFile,
) -> Answer | Reply:
    """Run the command and return its answer, or the reply that tells with which status it failed."""
    line = read_command_line(action.target, action.parameters)
    if line.unproved:
        raise _not_proved(line.unproved)
    filled = CommandText(line, values, environment.package, read_file)
    finished = await run_one_shot(
        filled.text,
        session=session,
        directory=directory,
        environment={**_given(environment), **author_environment(session), **filled.environment},
        seconds=TIME_LIMIT,
        output_limit=OUTPUT_LIMIT,
    )
    return exit_reply(finished, directory) if finished.status else _answer(finished.output)


def _not_proved(unproved: Sequence[Unproved]) -> Refusal:
    """Refuse to run what might evaluate a value, whatever the values of this call are."""
    first, *others = unproved
    told = (f"{it.message}. {it.remedy}" for it in others)
    return Refusal("NOT_TRUSTED", f"{first.message}.", first.remedy, *told)


def _given(environment: Environment) -> Mapping[str, str]:
    return {name: value for name, value in environment.secrets.items() if not is_reserved(name)}


def _answer(output: str) -> Answer:
    body = _body(output)
    media_type = "text/plain" if isinstance(body, str) else "application/json"
    return Answer(body=body, text=output.removesuffix("\n"), media_type=media_type)


def _body(output: str) -> object:
    """Return what JSON says; a number stays as it is written."""
    try:
        body = json.loads(output)
    except (ValueError, RecursionError):
        return output.removesuffix("\n")
    return output.strip() if isinstance(body, int | float) and not isinstance(body, bool) else body
