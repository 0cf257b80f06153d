"""The `stringd` program: without a subcommand it is the daemon."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from stringd.cli.program import run_program
from stringd.config import Config
from stringd.errors import Fault

if TYPE_CHECKING:
    import argparse

    from stringd.api.cli import CliCommand
    from stringd.api.settings import Settings


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; a failure is reported in one line."""
    words = sys.argv[1:] if argv is None else argv
    return run_program("stringd", lambda: _run(words))


def _run(argv: Sequence[str]) -> int:
    from stringd.cli.options import config_from, parse_options

    options, rest = parse_options(argv)
    config = config_from(options, os.environ)
    if rest or options.help:
        return _subcommand(config, options, rest or ["--help"])
    if options.url:
        raise Fault("--url names a daemon that runs already: a subcommand is missing", exit_code=2)
    # What is imported stays: to look for garbage meanwhile would take a tenth of the start.
    gc.disable()
    from stringd.server.serve import serve

    return serve(config)


def _subcommand(config: Config, options: argparse.Namespace, argv: Sequence[str]) -> int:
    from stringd.cli.options import subcommand_parser

    commands, settings = _subcommands(config, argv[0])
    arguments = subcommand_parser(commands, argv[0], settings).parse_args(argv)
    arguments.config, arguments.options = config, options
    code: int = arguments.run(arguments)
    return code


def _subcommands(config: Config, word: str) -> tuple[Collection[CliCommand], Mapping[str, Settings]]:
    """Return what the command line is parsed with: subcommands, and the settings of plugins.

    A built-in subcommand needs no plugin, unless there are options that stringd itself doesn't have.
    """
    from stringd.cli.built_in import BUILT_IN

    is_built_in = any(command.name == word for command in BUILT_IN)
    if is_built_in and not config.plugin_options and _has_built_in(config):
        return BUILT_IN, {}
    from stringd.extensions.registration import load_plugins

    plugins = load_plugins(config, until_subcommand=None if config.plugin_options else word)
    for problem in plugins.settings.unknown_options():
        raise Fault(problem, exit_code=2)
    return plugins.catalogue.cli.values(), plugins.settings.declared


def _has_built_in(config: Config) -> bool:
    if config.plugins is None and not config.without:
        return True
    from stringd.extensions.discovery import available_plugins, select_plugins

    return any(it.name == "cli" and it.built_in for it in select_plugins(available_plugins(config), config))
