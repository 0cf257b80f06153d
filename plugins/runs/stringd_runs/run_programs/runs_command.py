"""The subcommand `stringd runs`: list the runs, show one, stop one."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from stringd.plugin import CliCommand, Fault
from stringd.plugin.cli import write_output

if TYPE_CHECKING:
    from stringd_runs.run_programs.run_daemon import RunDaemon

_SHOW, _STOP = "show", "stop"
_COMMANDS = {_SHOW: "/refresh", _STOP: "/stop"}
_SHORTEST_TIME = len("2026-01-01T00:00:00")


def _runs(arguments: argparse.Namespace) -> int:
    from stringd_runs.run_programs.run_daemon import running_daemon

    if (arguments.action is None) != (arguments.id is None):
        raise Fault("show and stop need the ID of a run", exit_code=2)
    with running_daemon(arguments) as daemon:
        return _list(daemon, arguments) if arguments.action is None else _act(daemon, arguments)


def _list(daemon: RunDaemon, arguments: argparse.Namespace) -> int:
    from stringd.plugin.terminal_programs import write_json
    from stringd_runs.run_programs.message_feed import MessageFeed

    with MessageFeed(daemon.address, arguments.user) as feed:
        runs = feed.request("list_runs")["runs"]
    if arguments.json:
        write_json(runs)
    else:
        write_output("\n".join(map(_line, runs)) or "no runs")
    return 0


def _line(run: dict[str, Any]) -> str:
    started = run["startedAt"][:_SHORTEST_TIME].replace("T", " ")
    return f"{run['runId']}  {run['status']:9}  {started}  {run['strategyName']}"


def _act(daemon: RunDaemon, arguments: argparse.Namespace) -> int:
    """Send a command to the topic of a run: the run is the same there."""
    from stringd.plugin.terminal_programs import Client, write_error, write_json

    with Client(arguments.user, address=daemon.address, start=False) as client:
        result = client.exec(f"run:{arguments.id}", _COMMANDS[arguments.action])
    if arguments.json:
        write_json({"ok": result.ok, "code": result.code, "content": result.content})
    else:
        (write_output if result.ok else write_error)(result.content)
    return 0 if result.ok else 1


def _configure(parser: argparse.ArgumentParser) -> None:
    from stringd.plugin.terminal_programs import user_argument

    parser.add_argument(
        "action", nargs="?", choices=tuple(_COMMANDS), help="show the transcript of a run, or stop it"
    )
    parser.add_argument("id", nargs="?", metavar="ID", help="the run")
    user = os.environ.get("STRINGD_USER") or "default"
    parser.add_argument(
        "--user", metavar="ID", type=user_argument, default=user, help="the runs of this user"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


RUNS = CliCommand(
    name="runs",
    summary="List the runs, the newest first; show what was said in one, or stop it.",
    configure=_configure,
    run=_runs,
)
