"""Subcommands of the `stringd` program."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from stringd.api.checks import check_sync, check_word


@dataclass(frozen=True, slots=True, kw_only=True)
class CliCommand:
    """A subcommand: `configure` adds its arguments, `run` returns the exit code. Neither needs a daemon."""

    name: str
    summary: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]

    def __post_init__(self) -> None:
        check_word("subcommand", self.name)
        check_sync(f"subcommand {self.name}", self.configure, takes=1)
        check_sync(f"subcommand {self.name}", self.run, takes=1)
