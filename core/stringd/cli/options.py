"""Options of the `stringd` program, and their fallbacks, the `STRINGD_*` variables."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from stringd import __version__
from stringd.api.cli import CliCommand
from stringd.api.settings import Settings, option_of, settings_by_key, variable_of
from stringd.cli.address_options import add_address_options
from stringd.cli.program import MISUSE, Parser
from stringd.config import (
    ACCESS,
    DEFAULT_PORT,
    Config,
    absolute_plugins,
    parse_port,
    parse_seconds,
    split_names,
)
from stringd.errors import Fault

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@]+")
_PLUGIN_OPTION = re.compile(r"--[a-z][a-z0-9]*(-[a-z0-9]+)*")
_VARIABLE = re.compile(r"[A-Za-z_*][A-Za-z0-9_*]*")


def parse_options(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Parse the options of the daemon; return the words of a subcommand unparsed."""
    parser = _options_parser(add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    own, plugin_options = _split(argv, parser)
    options = parser.parse_args(own)
    options.plugin_options = plugin_options
    return options, options.rest


def subcommand_parser(
    commands: Iterable[CliCommand], chosen: str, settings: Mapping[str, Settings]
) -> argparse.ArgumentParser:
    """Return the parser of these subcommands, with the arguments of the chosen one."""
    parser = _options_parser(add_help=True)
    for plugin, declared in sorted(settings.items()):
        _add_plugin_options(parser, plugin, declared)
    parser.description = (
        "Without a command: run the daemon. With one: talk to it, or look at this installation."
    )
    subparsers = parser.add_subparsers(metavar="command", required=True, parser_class=Parser)
    for command in sorted(commands, key=lambda it: it.name):
        subparser = subparsers.add_parser(
            command.name, help=command.summary, description=command.summary, allow_abbrev=False
        )
        if command.name == chosen:
            command.configure(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def config_from(options: argparse.Namespace, environment: Mapping[str, str]) -> Config:
    """Return the configuration: from options first, then the environment, then defaults."""
    defaults = Config()
    return Config(
        port=_port(_first(options.port, environment.get("STRINGD_PORT"), str(DEFAULT_PORT))),
        data_dir=Path(_first(options.data_dir, environment.get("STRINGD_DATA_DIR"), str(defaults.data_dir))),
        plugins=_plugins(options.plugins, environment.get("STRINGD_PLUGINS")),
        plugins_dir=_directory(_either(options.plugins_dir, environment.get("STRINGD_PLUGINS_DIR"))),
        without=split_names(options.without or ""),
        allowed_origins=frozenset(map(_origin, options.allow_origin)),
        access=_access(_first(options.access, environment.get("STRINGD_ACCESS"), defaults.access)),
        plugin_options=options.plugin_options,
        kept_variables=_variables(_either(options.keep_env, environment.get("STRINGD_KEEP_ENV"))),
        ping_seconds=_seconds(environment, "STRINGD_PING", defaults.ping_seconds),
        queue_wait_seconds=_seconds(environment, "STRINGD_QUEUE_WAIT", defaults.queue_wait_seconds),
        operator_fd=None if options.operator_fd is None else _descriptor(options.operator_fd),
    )


def _split(argv: Sequence[str], parser: Parser) -> tuple[list[str], tuple[tuple[str, str | None], ...]]:
    """Extract the options of plugins, such as `--name value`, from those before the first other word.

    Which plugins there are is not known yet; each of their options has a value.
    """
    own: list[str] = []
    theirs: list[tuple[str, str | None]] = []
    words = iter(argv)
    for word in words:
        option, equals, text = word.partition("=")
        known = parser.find_option(option)
        if not word.startswith("-") or word == "--":
            own.append(word)
            break
        if known is None and _PLUGIN_OPTION.fullmatch(option):
            theirs.append((option, text if equals else next(words, None)))
            continue
        own.append(word)
        if known and known.nargs is None and not equals:
            own += (it for it in (next(words, None),) if it is not None)
    return [*own, *words], tuple(theirs)


def _add_plugin_options(parser: Parser, plugin: str, declared: Settings) -> None:
    options = {option: it for it in settings_by_key(declared).values() if (option := option_of(plugin, it))}
    group = parser.add_argument_group(f"plugin {plugin}") if options else parser
    # A plugin whose option is taken was skipped.
    for option, it in ((option, it) for option, it in options.items() if not parser.find_option(option)):
        what = it.summary.rstrip(".").replace("%", "%%")
        group.add_argument(
            option,
            metavar="|".join(("true", "false")) if it.type is bool else it.key.upper(),
            help=f"{what} ({variable_of(plugin, it.key)})",
        )


def _options_parser(*, add_help: bool) -> Parser:
    parser = Parser(prog="stringd", add_help=add_help, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"stringd {__version__}")
    parser.add_argument(
        "--port", help=f"port on 127.0.0.1, 0 for a free one (STRINGD_PORT, else {DEFAULT_PORT})"
    )
    parser.add_argument(
        "--data-dir", help="directory of users and topics (STRINGD_DATA_DIR, else ./.stringd)"
    )
    parser.add_argument(
        "--plugins",
        metavar="NAMES",
        help="load the built-in plugins and exactly these, by name or file: a,./b.py (STRINGD_PLUGINS)",
    )
    parser.add_argument(
        "--plugins-dir",
        metavar="DIR",
        help="also load each *.py in this directory (STRINGD_PLUGINS_DIR)",
    )
    parser.add_argument("--without", help="do not load these plugins: a,b")
    _add_access_options(parser)
    add_address_options(parser)
    return parser


def _add_access_options(parser: Parser) -> None:
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="allow web pages of this origin to call the daemon (repeatable)",
    )
    parser.add_argument(
        "--access",
        metavar="|".join(ACCESS),
        help="let document commands access files below home and allowed paths, or all"
        f" (STRINGD_ACCESS, else {ACCESS[0]})",
    )
    parser.add_argument(
        "--keep-env",
        metavar="NAMES",
        help="pass these variables of the daemon to shells, too: TOKEN,AWS_* (STRINGD_KEEP_ENV)",
    )
    parser.add_argument(
        "--operator-fd",
        metavar="N",
        help="write the operator's token to this inherited socket; used by `stringd approve`",
    )


def _first(*values: str | None) -> str:
    return next(value for value in values if value)


def _port(text: str) -> int:
    port = parse_port(text)
    if port is None:
        raise Fault(f"invalid port: {text}", exit_code=MISUSE)
    return port


def _descriptor(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise Fault(f"not a descriptor: {text!r}", exit_code=MISUSE)
    return int(text)


def _origin(text: str) -> str:
    origin = text.lower().rstrip("/")
    if not _ORIGIN.fullmatch(origin):
        raise Fault(f"not an origin such as https://example.com: {text!r}", exit_code=MISUSE)
    return origin


def _access(text: str) -> str:
    if text not in ACCESS:
        raise Fault(f"access must be {' or '.join(ACCESS)}, not {text!r}", exit_code=MISUSE)
    return text


def _plugins(option: str | None, variable: str | None) -> tuple[str, ...] | None:
    chosen = _either(option, variable)
    return None if chosen is None else absolute_plugins(split_names(chosen))


def _directory(text: str | None) -> Path | None:
    return Path(text).expanduser().absolute() if text else None


def _either(option: str | None, variable: str | None) -> str | None:
    return option if option is not None else variable or None


def _variables(text: str | None) -> tuple[str, ...]:
    names = split_names(text or "")
    for name in names:
        if not _VARIABLE.fullmatch(name):
            raise Fault(f"not the name of a variable, or a pattern such as AWS_*: {name!r}", exit_code=MISUSE)
    return names


def _seconds(environment: Mapping[str, str], name: str, default: float) -> float:
    text = environment.get(name)
    if not text:
        return default
    seconds = parse_seconds(text)
    if seconds is None:
        raise Fault(f"{name} must be a number of seconds, not {text!r}", exit_code=MISUSE)
    return seconds
