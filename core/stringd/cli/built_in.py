"""The built-in subcommands; none of them imports a plugin before it is needed."""

from __future__ import annotations

from stringd.api.cli import CliCommand
from stringd.cli.admin import SESSIONS, SHUTDOWN, STATUS, USERS
from stringd.cli.approve.command import APPROVE
from stringd.cli.config_command import CONFIG
from stringd.cli.events_command import EVENTS
from stringd.cli.plugins import PLUGINS
from stringd.cli.secret_command import SECRET
from stringd.cli.send import CHANFLOW, EXEC

BUILT_IN: tuple[CliCommand, ...] = (
    APPROVE,
    CHANFLOW,
    CONFIG,
    EVENTS,
    EXEC,
    PLUGINS,
    SECRET,
    SESSIONS,
    SHUTDOWN,
    STATUS,
    USERS,
)
