"""The shared commands, and the hook of the actions that they call, registered through the plugin hooks."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.actions.methods.action_method import ActionMethod, stringd_action_methods
from stringd.api.commands import Command
from stringd.api.hooks import Hook
from stringd.api.settings import Settings
from stringd.commands.act import ACT, ACTION
from stringd.commands.answer import ANSWER
from stringd.commands.append import APPEND
from stringd.commands.back import BACK
from stringd.commands.cancel import CANCEL
from stringd.commands.close import CLOSE
from stringd.commands.edit import EDIT
from stringd.commands.exec import EXEC
from stringd.commands.find import FIND
from stringd.commands.fork import FORK
from stringd.commands.help import HELP
from stringd.commands.info import INFO
from stringd.commands.ls import LS
from stringd.commands.nav import NAV
from stringd.commands.open import OPEN
from stringd.commands.output import OUTPUT
from stringd.commands.refresh import REFRESH
from stringd.commands.replace import REPLACE
from stringd.commands.save import SAVE
from stringd.commands.set import SET
from stringd.commands.several_edits import EDITS
from stringd.commands.source import SOURCE
from stringd.commands.topics import TOPICS
from stringd.commands.undo import UNDO
from stringd.commands.verify import VERIFY
from stringd.commands.write import WRITE
from stringd.extensions.hookspecs import hookimpl
from stringd.sessions.answer_limit import AnswerSettings


@hookimpl
def stringd_commands() -> Iterable[Command]:
    """Add the shared commands."""
    return (
        ACT,
        ACTION,
        ANSWER,
        APPEND,
        BACK,
        CANCEL,
        CLOSE,
        EDIT,
        EDITS,
        EXEC,
        FIND,
        FORK,
        HELP,
        INFO,
        LS,
        NAV,
        OPEN,
        OUTPUT,
        REFRESH,
        REPLACE,
        SAVE,
        SET,
        SOURCE,
        TOPICS,
        UNDO,
        VERIFY,
        WRITE,
    )


@hookimpl
def stringd_settings() -> Iterable[Settings]:
    """Add the settings of answers."""
    return (Settings(record=AnswerSettings),)


@hookimpl
def stringd_hooks() -> Iterable[Hook]:
    """Add the hook with which plugins carry out actions."""
    return (Hook(what="action-method", record=ActionMethod, spec=stringd_action_methods),)
