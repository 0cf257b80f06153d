"""The settings with which `stringd mcp` starts a daemon, as options and as variables."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from stringd.plugin import Config

_PORT, _USER = "STRINGD_PORT", "STRINGD_USER"
_TO_DO = "Not part of it: the token. Name its file with --token-file, or set STRINGD_TOKEN for the client."
_UNKNOWN = "Not part of it: {}. Start the daemon with that yourself, before an agent starts one."


def daemon_options(arguments: argparse.Namespace) -> list[str]:
    """Return the options that select or start the same daemon from anywhere."""
    from stringd.plugin.terminal_programs import daemon_address

    address = daemon_address(arguments)
    if address.is_remote:
        files = {"--token-file": _token_file(arguments), "--ca-file": address.ca_file}
        absolute = ((name, str(Path(it).absolute())) for name, it in files.items() if it)
        return ["--url", address.url, *(word for pair in absolute for word in pair)]
    config: Config = arguments.config
    port = ["--port", str(config.port)] if config.port != Config().port else []
    return [*port, *(it for option, _, value in _settings(config) for it in (option, value))]


def daemon_variables(config: Config) -> dict[str, str]:
    """Return the variables that a daemon gets which is started for a client."""
    return {variable: value for _, variable, value in _settings(config)}


def left_out(arguments: argparse.Namespace) -> str:
    """Say which settings would not reach a daemon; empty if there are none."""
    from stringd.plugin.terminal_programs import daemon_address

    if daemon_address(arguments).is_remote:
        return "" if _token_file(arguments) else _TO_DO
    config: Config = arguments.config
    carried = {_PORT, _USER, *(variable for _, variable, _ in _settings(config))}
    names = [
        *(["--without"] if config.without else []),
        *(["--allow-origin"] if config.allowed_origins else []),
        *(option for option, _ in config.plugin_options),
        *sorted(it for it in os.environ if it.startswith("STRINGD_") and it not in carried),
    ]
    return _UNKNOWN.format(", ".join(names)) if names else ""


def _token_file(arguments: argparse.Namespace) -> str | None:
    return arguments.options.token_file or os.environ.get("STRINGD_TOKEN_FILE") or None


def _settings(config: Config) -> Iterator[tuple[str, str, str]]:
    """Yield the settings that are not the defaults: the option, the variable, the value."""
    default = Config()
    if config.data_dir != default.data_dir:
        yield "--data-dir", "STRINGD_DATA_DIR", str(Path(config.data_dir).absolute())
    if config.plugins is not None:
        yield "--plugins", "STRINGD_PLUGINS", ",".join(config.plugins)
    if config.plugins_dir is not None:
        yield "--plugins-dir", "STRINGD_PLUGINS_DIR", str(config.plugins_dir)
    if config.access != default.access:
        yield "--access", "STRINGD_ACCESS", config.access
    if config.kept_variables:
        yield "--keep-env", "STRINGD_KEEP_ENV", ",".join(config.kept_variables)
