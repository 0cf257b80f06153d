"""The subcommand `stringd console`, which prints a link for a browser."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from stringd.plugin import CliCommand, Fault, RequestRefused

if TYPE_CHECKING:
    from stringd.plugin.terminal_programs import Client

_NOT_FOUND = 404


def _console(arguments: argparse.Namespace) -> int:
    from stringd.plugin.terminal_programs import (
        Client,
        announce,
        daemon_address,
        forbid_memory_access,
        is_terminal,
        operator_token,
    )

    # From now on, the memory of this process contains the token.
    forbid_memory_access()
    with Client(address=daemon_address(arguments), start=False) as client:
        token, has_started = operator_token(client, arguments.token_fd)
        # Nowhere else: standard output may be a file or a pipe.
        if has_started and is_terminal(sys.stderr):
            announce(f"Started stringd. The operator's token, shown only here: {token}")
        url = _link(client, token)
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()
    if arguments.open:
        _open(url)
    return 0


def _link(client: Client, token: str) -> str:
    """Return the link, for a browser that reaches the daemon in the same way."""
    try:
        link = str(client.request("POST", "/console/tickets", headers={"X-Operator-Token": token})["url"])
    except RequestRefused as refused:
        if refused.status == _NOT_FOUND:
            raise Fault("the daemon was started without the plugin `console`") from refused
        raise
    if not client.address.is_remote:
        return link
    parts = urlsplit(link)
    return f"{client.address.url}{parts.path}#{parts.fragment}"


def _open(url: str) -> None:
    import webbrowser

    if not webbrowser.open(url):
        raise Fault("there is no browser to open it with; open the link above in any browser of this machine")


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
