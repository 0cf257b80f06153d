"""The options that name a daemon, of `stringd` and of `string`."""

from __future__ import annotations

import argparse

from stringd.client.daemon_address import DaemonAddress, chosen_address

_NAMES = ("--url", "--token-file", "--ca-file", "--port")


def add_address_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for a daemon with a URL."""
    parser.add_argument(
        "--url", metavar="URL", help="the daemon or cluster to talk to, as https://host:3100 (STRINGD_URL)"
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="read the token for that URL from this file (STRINGD_TOKEN_FILE, or the token: STRINGD_TOKEN)",
    )
    parser.add_argument(
        "--ca-file",
        metavar="FILE",
        help="verify its certificate with the authorities in this PEM file (STRINGD_CA_FILE)",
    )


def address_of(options: argparse.Namespace, port: int | None) -> DaemonAddress:
    """Return the address that the options name, or a port that was given."""
    return chosen_address(url=options.url, token_file=options.token_file, ca_file=options.ca_file, port=port)


def daemon_address(arguments: argparse.Namespace) -> DaemonAddress:
    """Return the address of the daemon that a subcommand of `stringd` talks to."""
    options = arguments.options
    return address_of(options, arguments.config.port if options.port else None)


def address_words(options: argparse.Namespace) -> list[str]:
    """Return the options that name the same daemon again."""
    given = ((name, getattr(options, name[2:].replace("-", "_"))) for name in _NAMES)
    return [word for name, value in given if value for word in (name, str(value))]
