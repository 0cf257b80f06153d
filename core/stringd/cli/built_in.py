"""The built-in subcommands; none of them imports a plugin before it is needed."""

from __future__ import annotations

from stringd.api.cli import CliCommand
from stringd.cli.admin import SESSIONS, SHUTDOWN, STATUS, USERS
from stringd.cli.plugins import PLUGINS
from stringd.cli.send import CHANFLOW, EXEC

BUILT_IN: tuple[CliCommand, ...] = (CHANFLOW, EXEC, PLUGINS, SESSIONS, SHUTDOWN, STATUS, USERS)
