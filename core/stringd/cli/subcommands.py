"""The plugin `cli`, which adds the subcommands of stringd itself."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.api.cli import CliCommand
from stringd.cli.built_in import BUILT_IN
from stringd.extensions.hookspecs import hookimpl


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add the subcommands."""
    return BUILT_IN
