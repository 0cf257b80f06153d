"""What subcommands of plugins are built with."""

from __future__ import annotations

from stringd.config import Config
from stringd.extensions.plugin_settings import settings_of
from stringd.processes.standard_streams import write_output

__all__ = [
    "run_daemon",
    "settings_of",
    "write_output",
]


def run_daemon(config: Config) -> int:
    """Run the daemon in the foreground until it is stopped, and return the exit code."""
    from stringd.server.serve import serve

    return serve(config)
