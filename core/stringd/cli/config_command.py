"""`stringd config`: show, set and check the settings of plugins."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from stringd.api.cli import CliCommand
from stringd.cli.program import Parser
from stringd.processes.standard_streams import write_json, write_output

if TYPE_CHECKING:
    from stringd.config import Config
    from stringd.extensions.registration import Plugins


def _config(arguments: argparse.Namespace) -> int:
    code: int = arguments.act(arguments)
    return code


def _show(arguments: argparse.Namespace) -> int:
    from stringd.text.toml_statements import toml

    settings = list(_plugins(arguments.config).settings.resolved())
    if arguments.json:
        write_json(
            [
                {"name": it.name, "value": it.value, "source": it.source, "summary": it.summary}
                for it in settings
            ]
        )
        return 0
    lines = (f"{it.name} = {toml(it.value)}  ({it.source})\n    {it.summary}" for it in settings)
    write_output("\n".join(lines))
    return 0


def _set(arguments: argparse.Namespace) -> int:
    from stringd.extensions.plugin_settings import parse_setting
    from stringd.text.toml_statements import toml

    settings = _plugins(arguments.config).settings
    plugin, found = settings.find(arguments.name)
    value = parse_setting(found, arguments.value, arguments.name)
    settings.file.write(plugin, found.key, value)
    write_output(f"{settings.file.path}: {arguments.name} = {toml(value)}, from the daemon's next start")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    plugins = _plugins(arguments.config)
    settings = plugins.settings
    problems = [*settings.problems(), *settings.unknown_sections(plugins.available)]
    write_output("\n".join(problems) if problems else f"{settings.file.path}: no errors")
    return 1 if problems else 0


def _plugins(config: Config) -> Plugins:
    from stringd.extensions.registration import load_plugins

    return load_plugins(config)


def _configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="action", required=True, parser_class=Parser)
    show = actions.add_parser("show", help="list all settings, their values and where the values come from")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.set_defaults(act=_show)
    change = actions.add_parser(
        "set", help="write a value to config.toml, and keep everything else in the file"
    )
    change.add_argument("name", metavar="PLUGIN.KEY")
    change.add_argument("value", metavar="VALUE")
    change.set_defaults(act=_set)
    check = actions.add_parser("check", help="list all invalid settings; exit code 1 if there are any")
    check.set_defaults(act=_check)


CONFIG = CliCommand(
    name="config",
    summary="Show, set or check the settings of plugins.",
    configure=_configure,
    run=_config,
)
