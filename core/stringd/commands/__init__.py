"""The commands that every topic shares, added through the same hooks as anyone's."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.commands.close import CLOSE
from stringd.commands.execute import EXEC
from stringd.commands.help import HELP
from stringd.commands.info import INFO
from stringd.commands.topics import TOPICS
from stringd.commands.variables import SET
from stringd.contracts.commands import Command
from stringd.hookspecs import hookimpl


@hookimpl
def stringd_commands() -> Iterable[Command]:
    """Add the shared commands."""
    return (CLOSE, EXEC, HELP, INFO, SET, TOPICS)
