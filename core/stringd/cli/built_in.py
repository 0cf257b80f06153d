"""The subcommands that come with stringd; none of them imports a plugin before it needs one."""

from __future__ import annotations

from stringd.api.cli import CliCommand
from stringd.cli.admin import SESSIONS, SHUTDOWN, STATUS, USERS
from stringd.cli.config_command import CONFIG
from stringd.cli.plugins import PLUGINS
from stringd.cli.secret_command import SECRET
from stringd.cli.send import CHANFLOW, EXEC

BUILT_IN: tuple[CliCommand, ...] = (
    CHANFLOW,
    CONFIG,
    EXEC,
    PLUGINS,
    SECRET,
    SESSIONS,
    SHUTDOWN,
    STATUS,
    USERS,
)
