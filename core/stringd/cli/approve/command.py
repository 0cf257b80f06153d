"""The subcommand `stringd approve`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from stringd.api.cli import CliCommand
from stringd.cli.address_options import daemon_address
from stringd.client.sync import Client
from stringd.errors import Fault
from stringd.processes.standard_streams import is_terminal
from stringd.processes.tree import forbid_memory_access

if TYPE_CHECKING:
    from stringd.cli.approve.question_feed import QuestionFeed

_USER = "default"


def _approve(arguments: argparse.Namespace) -> int:
    from stringd.cli.approve.operator_access import operator_token
    from stringd.cli.approve.question_feed import QuestionFeed

    if not arguments.json and not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        raise Fault("answers must be typed in a terminal; use --json in scripts")
    # From now on, the memory of this process contains the token and typed answers.
    forbid_memory_access()
    with Client(_USER, address=daemon_address(arguments), start=False) as client:
        token, has_started = operator_token(client, arguments.token_fd)
        with QuestionFeed(client.address, token) as feed:
            if arguments.json:
                return _run_script(client, token, feed, once=arguments.once)
            return _run_dialogue(client, token, feed, once=arguments.once, show_token=has_started)


def _run_script(client: Client, token: str, feed: QuestionFeed, *, once: bool) -> int:
    from stringd.cli.approve.script import Script

    return Script(client, token, feed, 0).run(once=once)


def _run_dialogue(client: Client, token: str, feed: QuestionFeed, *, once: bool, show_token: bool) -> int:
    from stringd.cli.approve.dialogue import Dialogue
    from stringd.cli.approve.keyboard import Keyboard

    if show_token:
        sys.stdout.write(f"Started stringd. The operator's token, shown only here: {token}\n")
        sys.stdout.flush()
    with Keyboard(sys.stdin.fileno()) as keyboard:
        Dialogue(client, token, feed, keyboard).run(once=once)
    return 0


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--once", action="store_true", help="exit after one answer")
    parser.add_argument(
        "--json", action="store_true", help="print questions and read answers as lines of JSON"
    )
    parser.add_argument(
        "--token-fd",
        metavar="N",
        type=int,
        help="read the operator's token as one line from this descriptor instead of the terminal",
    )


APPROVE = CliCommand(
    name="approve",
    summary="Show questions as they are asked, and answer them as the operator; starts the daemon if needed.",
    configure=_configure,
    run=_approve,
)
