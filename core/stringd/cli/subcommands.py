"""The subcommands that come with stringd, added through the same hook as anyone's."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.api.cli import CliCommand
from stringd.cli.admin import SESSIONS, SHUTDOWN, STATUS, USERS
from stringd.cli.plugins import PLUGINS
from stringd.cli.send import CHANFLOW, EXEC
from stringd.extensions.hookspecs import hookimpl


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add the subcommands."""
    return (CHANFLOW, EXEC, PLUGINS, SESSIONS, SHUTDOWN, STATUS, USERS)
