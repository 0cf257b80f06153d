"""Find the command of a command line, and check the arguments and body."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.api.commands import Command, CommandLine, Invocation, Run
from stringd.api.replies import Reply
from stringd.api.sessions import Topic
from stringd.errors import ErrorCode, Refusal
from stringd.extensions.catalogue import Catalogue
from stringd.sessions.live_session import LiveSession
from stringd.text.command_line import LONGEST_HEAD, label
from stringd.text.masking import masked_unknown
from stringd.text.nearest import nearest


def find_command(catalogue: Catalogue, session: LiveSession, line: CommandLine) -> Command | None:
    """Return the command of a line in a session's topic, if there is one."""
    commands = catalogue.commands_by_type[session.name.type]
    return commands.get(line.word) or _owner(line.word, commands)


def require_command(catalogue: Catalogue, session: LiveSession, line: CommandLine) -> Command:
    """Return the command of a line, or refuse with the most similar one."""
    command = find_command(catalogue, session, line)
    if command is None:
        slash = session.slash
        meant = nearest(line.word, catalogue.commands_by_type[session.name.type])
        hint = f"Did you mean {slash}{meant}? " if meant else ""
        typed = masked_unknown(line.text[:LONGEST_HEAD]).split(maxsplit=1)[0].replace("//", "/", 1)
        message = f"Unknown command: {label(typed)}"
        raise Refusal(ErrorCode.COMMAND_UNSUPPORTED, message, f"{hint}{slash}help lists the commands.")
    return command


def check_shape(command: Command, line: CommandLine) -> None:
    """Refuse a body or arguments that the command does not take."""
    if line.body is not None and not command.takes_body:
        message = f"/{command.name} takes no further lines: one command per request."
        raise Refusal(ErrorCode.INVALID_PAYLOAD, message, f"Usage: {command.usage}")
    if line.arguments and not command.takes_arguments:
        message = f"/{command.name} takes no arguments."
        raise Refusal(ErrorCode.INVALID_PAYLOAD, message, f"Usage: {command.usage}")


def explain(command: Command) -> Run:
    """Return a function that replies with the help of a command."""

    async def run(invocation: Invocation) -> Reply:
        return command.explained(invocation.topic.help_title, invocation.session.slash)

    return run


def fail_with(error: Exception) -> Run:
    """Return a function that raises an error, for a command that failed before its turn."""

    async def run(_: Invocation) -> Reply:
        raise error

    return run


def check_empty(topic: Topic | None) -> None:
    """Refuse an empty text, unless it means something in the topic."""
    if topic is None or not topic.takes_empty_text():
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "The command is empty.")


def _owner(word: str, commands: Mapping[str, Command]) -> Command | None:
    """Return the command that a word with a dot names a member of."""
    command = commands.get(word.partition(".")[0])
    return command if command and command.takes_members else None
