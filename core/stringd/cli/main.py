"""The `stringd` program: without a subcommand it is the daemon."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from stringd.cli.program import run_program
from stringd.config import Config


def main(argv: Sequence[str] | None = None) -> int:
    """Run, and return the exit code; what can't go on is said in one line."""
    words = sys.argv[1:] if argv is None else argv
    return run_program("stringd", lambda: _run(words))


def _run(argv: Sequence[str]) -> int:
    from stringd.cli.options import config_from, parse_options

    options, rest = parse_options(argv)
    config = config_from(options, os.environ)
    if rest or options.help:
        return _subcommand(config, rest or ["--help"])
    from stringd.server.serve import serve

    return serve(config)


def _subcommand(config: Config, argv: Sequence[str]) -> int:
    from stringd.cli.options import full_parser
    from stringd.extensions.registration import load_plugins

    catalogue = load_plugins(config).catalogue
    arguments = full_parser(catalogue.cli.values(), argv[0]).parse_args(argv)
    arguments.config = config
    code: int = arguments.run(arguments)
    return code
