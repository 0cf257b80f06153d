"""The commands that every topic shares, added through the same hooks as anyone's."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.commands.acting import ACT, ACTION
from stringd.commands.close import CLOSE
from stringd.commands.editing import EDIT
from stringd.commands.execute import EXEC
from stringd.commands.finding import FIND
from stringd.commands.forking import FORK
from stringd.commands.help import HELP
from stringd.commands.info import INFO
from stringd.commands.navigating import NAV
from stringd.commands.opening import BACK, OPEN, REFRESH
from stringd.commands.reading import LS, SOURCE
from stringd.commands.replacing import REPLACE
from stringd.commands.topics import TOPICS
from stringd.commands.undoing import UNDO
from stringd.commands.variables import SET
from stringd.commands.verifying import VERIFY
from stringd.commands.writing import APPEND, WRITE
from stringd.contracts.commands import Command
from stringd.hookspecs import hookimpl


@hookimpl
def stringd_commands() -> Iterable[Command]:
    """Add the shared commands."""
    return (
        ACT,
        ACTION,
        APPEND,
        BACK,
        CLOSE,
        EDIT,
        EXEC,
        FIND,
        FORK,
        HELP,
        INFO,
        LS,
        NAV,
        OPEN,
        REFRESH,
        REPLACE,
        SET,
        SOURCE,
        TOPICS,
        UNDO,
        VERIFY,
        WRITE,
    )
