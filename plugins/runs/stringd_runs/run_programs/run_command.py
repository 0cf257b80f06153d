"""The subcommand `stringd run`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from stringd.plugin import CliCommand, Fault

_MISUSE = 2
_DRY_MODEL = "scripted/echo"


def _run(arguments: argparse.Namespace) -> int:
    """Run a strategy and return the exit code."""
    from stringd.plugin.terminal_programs import daemon_address
    from stringd_runs.run_programs.run_daemon import dry_daemon, running_daemon
    from stringd_runs.run_programs.watched_run import RunRequest, run_strategy

    if arguments.dry and arguments.model:
        raise Fault("--dry replaces every model, so --model has no effect beside it", exit_code=_MISUSE)
    file = Path(arguments.file).absolute()
    is_remote = not arguments.dry and daemon_address(arguments).is_remote
    request = RunRequest(
        # A strategy that is not here may be in the user's home.
        path=str(file) if file.exists() and not is_remote else arguments.file,
        user=arguments.user,
        input=arguments.input,
        model=_DRY_MODEL if arguments.dry else arguments.model,
        as_json=arguments.json,
    )
    if arguments.dry:
        with dry_daemon(arguments.config, arguments.user, file) as daemon:
            return run_strategy(daemon, request)
    with running_daemon(arguments) as daemon:
        return run_strategy(daemon, request)


def _configure(parser: argparse.ArgumentParser) -> None:
    from stringd.plugin.terminal_programs import user_argument

    parser.epilog = (
        "Exit codes: 0 the run was completed, 1 it failed or could not be prepared, 2 misuse, 130 Ctrl-C."
    )
    parser.add_argument("file", metavar="FILE", help="the strategy: here, or in the home of the user")
    parser.add_argument(
        "--input", metavar="TEXT", default="", help="what the first agent is given; -: standard input"
    )
    parser.add_argument("--model", metavar="PROVIDER/MODEL", help="use this model for all agents")
    parser.add_argument(
        "--dry",
        action="store_true",
        help=f"replace every model by {_DRY_MODEL}, in a daemon of its own that keeps nothing",
    )
    user = os.environ.get("STRINGD_USER") or "default"
    parser.add_argument(
        "--user", metavar="ID", type=user_argument, default=user, help="run as this user (STRINGD_USER)"
    )
    parser.add_argument(
        "--json", action="store_true", help="print each message of the run as one line of JSON"
    )


RUN = CliCommand(
    name="run",
    summary="Run a strategy of several agents, show its progress, and answer its questions.",
    configure=_configure,
    run=_run,
)
