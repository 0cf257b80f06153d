"""Subcommands of the `stringd` program."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from stringd.api.checks import check_sync, check_word
from stringd.frozen_record import FrozenRecord


class CliCommand(FrozenRecord, frozen=True, kw_only=True):
    """A subcommand: `configure` adds its arguments, `run` returns the exit code. Neither needs a daemon."""

    name: str
    summary: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]

    def __post_init__(self) -> None:
        check_word("subcommand", self.name)
        check_sync(f"subcommand {self.name}", self.configure, takes=1)
        check_sync(f"subcommand {self.name}", self.run, takes=1)
