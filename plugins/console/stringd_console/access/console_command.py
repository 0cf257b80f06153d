"""The subcommand `stringd console`, which prints a link for a browser."""

from __future__ import annotations

import argparse
import http.client
import json
import sys

from stringd.plugin import CliCommand, Fault

_SECONDS = 10.0


def _console(arguments: argparse.Namespace) -> int:
    from stringd.plugin.terminal_programs import (
        Client,
        announce,
        forbid_memory_access,
        is_terminal,
        operator_token,
    )

    # From now on, the memory of this process contains the token.
    forbid_memory_access()
    with Client(port=arguments.config.port, start=False) as client:
        token, has_started = operator_token(client, arguments.token_fd)
        # Nowhere else: standard output may be a file or a pipe.
        if has_started and is_terminal(sys.stderr):
            announce(f"Started stringd. The operator's token, shown only here: {token}")
        url = _link(client.port, token)
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()
    if arguments.open:
        _open(url)
    return 0


def _link(port: int, token: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    try:
        connection.request("POST", "/console/tickets", headers={"X-Operator-Token": token})
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status == http.client.OK:
            return str(answer["url"])
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError) as error:
        raise Fault(f"the daemon gives no link: {error}") from error
    finally:
        connection.close()
    if response.status == http.client.NOT_FOUND:
        raise Fault("the daemon was started without the plugin `console`")
    raise Fault(str(answer.get("error", answer)))


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
