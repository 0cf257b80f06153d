"""The subcommands that run commands: `exec` and `chanflow`."""

from __future__ import annotations

import argparse
import os

from stringd.api.cli import CliCommand
from stringd.cli.address_options import address_words, daemon_address
from stringd.cli.string_arguments import user_argument
from stringd.client.sync import Client
from stringd.processes.standard_streams import read_all, write_output


def _exec(arguments: argparse.Namespace) -> int:
    from stringd.cli.string import main

    return main([*address_words(arguments.options), *arguments.words])


def _chanflow(arguments: argparse.Namespace) -> int:
    address = daemon_address(arguments)
    with Client(arguments.user, address=address, start=arguments.start) as client:
        answer = client.chanflow(read_all())
    write_output(answer.text)
    return 1 if answer.failed else 0


def _configure_exec(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words", nargs=argparse.REMAINDER, help="the arguments of `string`: topic, command, options"
    )


def _configure_chanflow(parser: argparse.ArgumentParser) -> None:
    user = os.environ.get("STRINGD_USER") or "default"
    parser.add_argument(
        "--user", metavar="ID", type=user_argument, default=user, help="act as this user (STRINGD_USER)"
    )
    parser.add_argument("--no-start", dest="start", action="store_false", help="do not start a daemon")


EXEC = CliCommand(
    name="exec",
    summary="Run one command in a topic; the same as `string`.",
    configure=_configure_exec,
    run=_exec,
)
CHANFLOW = CliCommand(
    name="chanflow",
    summary="Execute the string blocks of a ChanFlow text on standard input and print their replies.",
    configure=_configure_chanflow,
    run=_chanflow,
)
