"""The `string` program: commands for a topic, from an argument, from standard input or from a prompt."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stringd.cli.arguments import parse_arguments
from stringd.cli.output import say
from stringd.cli.reading import is_terminal, read_all, read_lines
from stringd.cli.speaking import Speaker
from stringd.client.sync import Client
from stringd.console import quieten
from stringd.errors import Fault, StringdError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stringd.cli.arguments import Arguments

FAILED = 1
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code: 0, 1 for a failure, 130 for Ctrl-C; misuse exits with 2."""
    try:
        return _run(parse_arguments(argv))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        quieten(1)
        return 0
    except (StringdError, OSError) as error:
        quieten(1)
        say(str(error))
        return error.exit_code if isinstance(error, Fault) else FAILED


def _run(arguments: Arguments) -> int:
    with Client(arguments.user, port=arguments.port, start=arguments.start) as client:
        speaker = Speaker(client, arguments.topic, as_json=arguments.json)
        if arguments.command is not None or arguments.reads_input:
            return _exit_code(speaker.speak(_command(arguments)))
        if is_terminal(sys.stdin):
            from stringd.cli.prompt import converse

            return converse(speaker)
        failures = sum(not speaker.speak(line) for line in read_lines())
        return _exit_code(failures == 0)


def _command(arguments: Arguments) -> str:
    parts = [] if arguments.command is None else [arguments.command]
    return "\n".join([*parts, read_all()] if arguments.reads_input else parts)


def _exit_code(succeeded: bool) -> int:
    return 0 if succeeded else FAILED
