"""`stringd hello`: a subcommand that needs no daemon."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from stringd.plugin import CliCommand, Fault, hookimpl


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", default="garden", help="whom to greet")


def run(arguments: argparse.Namespace) -> int:
    if arguments.name == "weed":
        raise Fault("nobody greets weeds", exit_code=3)
    print(f"Hello {arguments.name}, from port {arguments.config.port}")
    return 0


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    return [CliCommand(name="hello", summary="Greet someone.", configure=configure, run=run)]
