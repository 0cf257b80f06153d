"""The subcommands that inspect or stop a running daemon: `status`, `users`, `sessions`, `shutdown`."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from stringd.api.cli import CliCommand
from stringd.api.health import CORE_FIELDS
from stringd.cli.address_options import daemon_address
from stringd.cli.string_arguments import user_argument
from stringd.client.sync import Client
from stringd.errors import DaemonUnreachable, Fault
from stringd.processes.standard_streams import write_json, write_output

_DEFAULT_USER = "default"
SHUTDOWN_SECONDS = 6.0
POLL_SECONDS = 0.02


def _client(arguments: argparse.Namespace, user: str = _DEFAULT_USER) -> Client:
    return Client(user, address=daemon_address(arguments), start=False)


def _status(arguments: argparse.Namespace) -> int:
    with _client(arguments) as client:
        status = client.status()
    _show(arguments, status, _status_lines)
    return 0


def _status_lines(status: dict[str, Any]) -> Iterable[str]:
    yield f"stringd {status['version']}, process {status['pid']}"
    yield f"data directory: {status['data_dir']}"
    yield f"users: {status['users']}, sessions: {status['sessions']}"
    yield f"plugins: {', '.join(status['plugins'])}"
    yield from (f"{name}: {json.dumps(status[name])}" for name in status if name not in CORE_FIELDS)
    yield from (f"notice: {notice}" for notice in status["notices"])


def _users(arguments: argparse.Namespace) -> int:
    if arguments.remove is not None:
        with _client(arguments, arguments.remove) as client:
            return _removed(client.remove_user(), f"user {arguments.remove}")
    if arguments.allow is not None:
        return _allow(arguments)
    with _client(arguments) as client:
        users = client.users()
    _show(arguments, users, lambda listed: (f"{user['id']}  {user['home']}" for user in listed))
    return 0


def _allow(arguments: argparse.Namespace) -> int:
    directory = Path(arguments.allow).absolute()
    if not directory.is_dir():
        raise Fault(f"not a directory: {arguments.allow}")
    with _client(arguments, arguments.user) as client:
        client.allow(directory)
    write_output(f"user {arguments.user} may access {directory}")
    return 0


def _sessions(arguments: argparse.Namespace) -> int:
    with _client(arguments, arguments.user or _DEFAULT_USER) as client:
        if arguments.close is not None:
            return _removed(client.close_session(arguments.close), f"session {arguments.close}")
        sessions = client.sessions(everyone=arguments.user is None)
    _show(arguments, sessions, lambda listed: map(_session_line, listed))
    return 0


def _session_line(session: dict[str, Any]) -> str:
    where = session["doc"]["uri"] if session["doc"] else "-"
    busy = f"  running, {session['queue_length']} waiting" if session["executing"] else ""
    return f"{session['user_id']}  {session['topic']}  {where}{busy}"


def _shutdown(arguments: argparse.Namespace) -> int:
    with _client(arguments) as client:
        write_output(str(client.shutdown()["message"]))
        _await_shutdown(client)
    return 0


def _await_shutdown(client: Client) -> None:
    deadline = time.monotonic() + SHUTDOWN_SECONDS
    with suppress(DaemonUnreachable):
        while time.monotonic() < deadline:
            client.health()
            time.sleep(POLL_SECONDS)


def _removed(found: bool, what: str) -> int:
    if not found:
        raise Fault(f"no such {what}")
    write_output(f"removed {what}")
    return 0


def _show(arguments: argparse.Namespace, found: Any, lines: Callable[[Any], Iterable[str]]) -> None:
    if arguments.json:
        write_json(found)
    else:
        write_output("\n".join(lines(found)))


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _configure_users(parser: argparse.ArgumentParser) -> None:
    _add_json(parser)
    parser.add_argument(
        "--remove",
        metavar="ID",
        type=user_argument,
        help="remove this user and end its sessions; its files stay",
    )
    parser.add_argument("--allow", metavar="DIR", help="let a user access this directory, besides the home")
    parser.add_argument(
        "--user",
        metavar="ID",
        type=user_argument,
        default=_DEFAULT_USER,
        help="with --allow, the user (default: default)",
    )


def _configure_sessions(parser: argparse.ArgumentParser) -> None:
    _add_json(parser)
    parser.add_argument(
        "--user",
        metavar="ID",
        type=user_argument,
        help="only sessions of this user; with --close, the owner (default: default)",
    )
    parser.add_argument("--close", metavar="TOPIC", help="end this session and delete its state")


STATUS = CliCommand(
    name="status",
    summary="Show the state of the running daemon, and problems at its start.",
    configure=_add_json,
    run=_status,
)
USERS = CliCommand(
    name="users",
    summary="List the registered users, remove one, or let one access a directory.",
    configure=_configure_users,
    run=_users,
)
SESSIONS = CliCommand(
    name="sessions", summary="List the sessions, or end one.", configure=_configure_sessions, run=_sessions
)
SHUTDOWN = CliCommand(
    name="shutdown", summary="Stop the running daemon.", configure=lambda _: None, run=_shutdown
)
