"""The subcommands that come with stringd, added through the same hook as anyone's."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.cli.asking import SESSIONS, SHUTDOWN, STATUS, USERS
from stringd.cli.plugins import PLUGINS
from stringd.cli.sending import CHANFLOW, EXEC
from stringd.contracts.cli import CliCommand
from stringd.hookspecs import hookimpl


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add the subcommands."""
    return (CHANFLOW, EXEC, PLUGINS, SESSIONS, SHUTDOWN, STATUS, USERS)
