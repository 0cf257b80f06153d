"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import CliCommand, hookimpl
from stringd_approval.requesting.request_subcommand import REQUEST


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add the subcommands."""
    return (REQUEST,)
