"""`stringd mcp`: an MCP server over stdio, and the configuration of its clients."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from stringd.plugin import CliCommand

_CLIENTS = ("claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini-cli", "zed", "goose")


def _configure(parser: argparse.ArgumentParser) -> None:
    _add_access(parser)
    actions = parser.add_subparsers(dest="action", metavar="install")
    install = actions.add_parser(
        "install", help="print the configuration for a client, or write it", allow_abbrev=False
    )
    install.add_argument("client", choices=_CLIENTS, metavar="CLIENT", help=", ".join(_CLIENTS))
    install.add_argument("--write", action="store_true", help="merge it into the client's file; keeps a copy")
    install.add_argument("--file", type=Path, metavar="PATH", help="the client's file, if it is another")
    install.add_argument("--name", default="stringd", help="the name of the server; stringd by default")
    _add_access(install, is_default=False)


def _add_access(parser: argparse.ArgumentParser, *, is_default: bool = True) -> None:
    """Add the options that say who the agent is; those of a subcommand override those before it."""
    missing = None if is_default else argparse.SUPPRESS
    parser.add_argument("--user", metavar="ID", default=missing, help="act as this user (STRINGD_USER)")
    parser.add_argument(
        "--home", type=Path, metavar="DIR", default=missing, help="the home directory of that user"
    )
    parser.add_argument(
        "--topics",
        metavar="TYPES",
        default=missing,
        help="offer only topics of these types: file,web; no sandbox: /exec in them runs programs",
    )


def _run(arguments: argparse.Namespace) -> int:
    if arguments.action == "install":
        from stringd_mcp.client_setup.installation import install

        return install(arguments)
    return _serve(arguments)


def _serve(arguments: argparse.Namespace) -> int:
    from stringd.plugin.terminal_programs import daemon_address, user_argument
    from stringd_mcp.client_setup.agent_identity import agent_home, agent_user
    from stringd_mcp.client_setup.bridge_connection import BridgeConnection
    from stringd_mcp.client_setup.daemon_settings import daemon_variables
    from stringd_mcp.client_setup.stdio_bridge import StdioBridge

    user = user_argument(agent_user(arguments) or "default")
    topics = [it.strip() for it in (arguments.topics or "").split(",") if it.strip()]
    home = agent_home(arguments)
    # A daemon that is started for this client gets its settings from the environment.
    os.environ.update(daemon_variables(arguments.config))
    StdioBridge(BridgeConnection(daemon_address(arguments), user, home, topics)).run()
    return 0


MCP = CliCommand(
    name="mcp",
    summary="Serve agents by MCP on standard input and output, or configure their programs to start this.",
    configure=_configure,
    run=_run,
)
