"""The arguments of `string`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from msgspec import Struct

from stringd import __version__
from stringd.cli.address_options import add_address_options, address_of
from stringd.cli.program import Parser
from stringd.cli.tabs import is_url
from stringd.client.defaults import check_port
from stringd.client.endpoints import check_user
from stringd.errors import Fault
from stringd.text.topic_names import DEFAULT_TOPIC, DEFAULT_TYPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stringd.client.daemon_address import DaemonAddress

_USAGE = """string [options] TOPIC 'COMMAND'      run one command
       string [options] '/COMMAND'           ... in the default topic
       string [options] TOPIC 'COMMAND' -    ... with standard input as its body
       string [options] TOPIC -              run standard input as one command
       string [options] TOPIC                a prompt, or one command per line of standard input
       string [options] [--tab NAME] URL     open a page in a tab"""
_EPILOG = f"""TOPIC is type:name, for example {DEFAULT_TOPIC}; a bare name means {DEFAULT_TYPE}:name.
A tab is a topic of the type that opens URLs: --tab names it, else it gets the first free number.
Output goes to standard output, everything else to standard error.
Exit codes: 0 done, 1 the command failed or there is no daemon, 2 misuse, 130 interrupted."""


class Arguments(Struct, frozen=True, kw_only=True):
    """Parsed arguments; with `reads_input`, standard input is appended to the command.

    `topic` may also be a URL, and `tab` the name of the tab to open it in.
    """

    topic: str
    command: str | None
    reads_input: bool
    user: str
    address: DaemonAddress
    start: bool
    json: bool
    tab: str | None


def parse_arguments(argv: Sequence[str] | None) -> Arguments:
    """Parse the command line; raise a `Fault` with exit code 2 on misuse."""
    parser = _parser()
    words = sys.argv[1:] if argv is None else argv
    # Intermixed parsing allows options between topic and command, but does not support `--`.
    options = parser.parse_args(words) if "--" in words else parser.parse_intermixed_args(words)
    topic, *rest = _with_topic(options.words)
    reads_input = rest[-1:] == ["-"]
    commands = rest[:-1] if reads_input else rest
    if len(commands) > 1:
        parser.error("expected one command as one argument: put quotes around it")
    if is_url(topic) and rest:
        parser.error("a URL takes no command: send commands to its topic")
    if options.tab and not is_url(topic):
        parser.error("--tab goes with a URL")
    return Arguments(
        topic=topic,
        command=commands[0] if commands else None,
        reads_input=reads_input,
        user=options.user,
        address=address_of(options, options.port),
        start=options.start,
        json=options.json,
        tab=options.tab,
    )


def _with_topic(words: Sequence[str]) -> Sequence[str]:
    """Return topic and command; a command without a topic is one of the default topic."""
    return [DEFAULT_TOPIC, *words] if words[0].startswith("/") else words


def _parser() -> Parser:
    parser = Parser(
        prog="string",
        usage=_USAGE,
        epilog=_EPILOG,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("words", nargs="+", metavar="TOPIC [COMMAND] [-]", help=argparse.SUPPRESS)
    user = os.environ.get("STRINGD_USER") or "default"
    parser.add_argument(
        "--user", metavar="ID", type=user_argument, default=user, help="act as this user (STRINGD_USER)"
    )
    parser.add_argument("--port", metavar="N", type=_port, help="the daemon's port (STRINGD_PORT, else 3100)")
    add_address_options(parser)
    parser.add_argument("--no-start", dest="start", action="store_false", help="do not start a daemon")
    parser.add_argument("--json", action="store_true", help="print each result as one line of JSON")
    parser.add_argument("--tab", metavar="NAME", help="the name of the tab to open a URL in")
    parser.add_argument("--version", action="version", version=f"string {__version__}")
    return parser


def user_argument(text: str) -> str:
    """Return a user id that fits into a header."""
    try:
        return check_user(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _port(text: str) -> int:
    try:
        return check_port(text, "the value")
    except Fault as error:
        raise argparse.ArgumentTypeError(str(error)) from error
