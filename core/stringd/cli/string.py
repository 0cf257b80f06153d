"""The `string` program: runs commands from an argument, standard input or the prompt in a topic."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stringd.cli.command_runner import CommandRunner
from stringd.cli.program import FAILED, run_program
from stringd.cli.string_arguments import parse_arguments
from stringd.cli.tabs import is_url, open_tab
from stringd.client.sync import Client
from stringd.processes.standard_streams import is_terminal, print_notice, read_all, read_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stringd.cli.string_arguments import Arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code: 0, 1 for a failure, 2 for misuse, 130 for Ctrl-C."""
    return run_program("string", lambda: _run(parse_arguments(argv)))


def _run(arguments: Arguments) -> int:
    with Client(arguments.user, address=arguments.address, start=arguments.start) as client:
        if is_url(arguments.topic):
            return _exit_code(open_tab(client, arguments.topic, arguments.tab, as_json=arguments.json))
        runner = CommandRunner(client, arguments.topic, as_json=arguments.json)
        if arguments.command is not None or arguments.reads_input:
            return _exit_code(runner.run(_command(arguments)))
        if is_terminal(sys.stdin):
            from stringd.cli.prompt import run_prompt

            return run_prompt(runner)
        succeeded = [runner.run(line) for line in read_lines()]
        if not succeeded:
            print_notice("No command: standard input is empty.")
        return _exit_code(all(succeeded))


def _command(arguments: Arguments) -> str:
    parts = [] if arguments.command is None else [arguments.command]
    return "\n".join([*parts, read_all()] if arguments.reads_input else parts)


def _exit_code(succeeded: bool) -> int:
    return 0 if succeeded else FAILED
