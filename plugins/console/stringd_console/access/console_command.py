"""The subcommand `stringd console`, which prints a link for a browser."""

from __future__ import annotations

import argparse
import json
import sys
import urllib.request
from urllib.error import HTTPError

from stringd.plugin import CliCommand, Fault

_SECONDS = 10.0


def _console(arguments: argparse.Namespace) -> int:
    from stringd.plugin.terminal_programs import Client, forbid_memory_access, operator_token

    # From now on, the memory of this process contains the token.
    forbid_memory_access()
    with Client(port=arguments.config.port, start=False) as client:
        token, has_started = operator_token(client, arguments.token_fd)
        url = _link(client.port, token)
    if has_started:
        sys.stdout.write(f"Started stringd. The operator's token, shown only here: {token}\n")
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()
    if arguments.open:
        _open(url)
    return 0


def _link(port: int, token: str) -> str:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/console/tickets", method="POST", headers={"X-Operator-Token": token}
    )
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:  # noqa: S310 - the daemon's
            return str(json.load(response)["url"])
    except HTTPError as error:
        raise Fault(str(json.load(error).get("error", error))) from error
    except (OSError, ValueError) as error:
        raise Fault(f"the daemon gives no link: {error}") from error


def _open(url: str) -> None:
    import webbrowser

    if not webbrowser.open(url):
        raise Fault(
            "there is no browser to open it with; the link above works in any browser of this machine"
        )


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--open", action="store_true", help="open the link in a browser")
    parser.add_argument(
        "--token-fd",
        metavar="N",
        type=int,
        help="read the operator's token as one line from this descriptor instead of the terminal",
    )


CONSOLE = CliCommand(
    name="console",
    summary="Print a link to the console, which works once, for a browser; starts the daemon if needed.",
    configure=_configure,
    run=_console,
)
