"""`stringd secret`: keys and tokens for plugins, with a running daemon or without one."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from stringd.api.cli import CliCommand
from stringd.api.secrets import PluginSecret, check_secret_value
from stringd.cli.address_options import daemon_address
from stringd.cli.program import MISUSE, Parser
from stringd.cli.string_arguments import user_argument
from stringd.client.sync import Client
from stringd.errors import DataDirectoryInUse, Fault, StringdError
from stringd.processes.standard_streams import is_terminal, read_all, write_error, write_json, write_output

if TYPE_CHECKING:
    from stringd.config import Config
    from stringd.storage.secret_store import SecretFile


class _Secrets(Protocol):
    """Where secrets are stored: by a daemon, or in a data directory that no daemon uses."""

    def list(self) -> Iterable[Mapping[str, Any]]: ...
    def set(self, secret: PluginSecret, value: str) -> bool: ...
    def remove(self, secret: PluginSecret) -> bool: ...


class _OfDaemon:
    """The secrets of a running daemon."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self) -> Iterable[Mapping[str, Any]]:
        return self._client.secrets()

    def set(self, secret: PluginSecret, value: str) -> bool:
        return self._client.set_secret(secret.name, value, user=secret.user_id, plugin=secret.plugin)

    def remove(self, secret: PluginSecret) -> bool:
        return self._client.remove_secret(secret.name, user=secret.user_id, plugin=secret.plugin)


class _OfDirectory:
    """The secrets in a data directory, which is kept locked."""

    def __init__(self, store: SecretFile, config: Config) -> None:
        self._store = store
        self._config = config

    def list(self) -> Iterable[Mapping[str, Any]]:
        secrets = self._store.plugin_secrets()
        return [{"name": it.name, "user_id": it.user_id, "plugin": it.plugin} for it in secrets]

    def set(self, secret: PluginSecret, value: str) -> bool:
        self._check_owners(secret)
        return asyncio.run(self._store.set_plugin_secret(secret, value))

    def remove(self, secret: PluginSecret) -> bool:
        return asyncio.run(self._store.remove_plugin_secret(secret))

    def _check_owners(self, secret: PluginSecret) -> None:
        from stringd.extensions.discovery import available_plugins
        from stringd.users.user_store import UserFile

        if secret.user_id:
            users = UserFile(_report)
            users.open(self._config.data_dir)
            users.get(secret.user_id)
        known = {it.name for it in available_plugins(self._config)}
        if secret.plugin and secret.plugin not in known:
            raise Fault(f"no plugin {secret.plugin}; there are {', '.join(sorted(known))}", exit_code=MISUSE)


def _set(arguments: argparse.Namespace) -> int:
    if arguments.rest:
        # The word may be the secret, so it must not be quoted.
        message = "the value of a secret is not taken from the command line, where others can see it"
        raise Fault(f"{message}; type it at the prompt, or pipe it to standard input", exit_code=MISUSE)
    secret = _secret(arguments)
    value = _read_value(secret.name)
    with _opened(arguments) as secrets:
        created = secrets.set(secret, value)
    write_output(f"{'set' if created else 'replaced'} {_shown(secret.name, secret.user_id, secret.plugin)}")
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    secret = _secret(arguments)
    shown = _shown(secret.name, secret.user_id, secret.plugin)
    with _opened(arguments) as secrets:
        if not secrets.remove(secret):
            raise Fault(f"no such secret: {shown}")
    write_output(f"removed {shown}")
    return 0


def _list(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as secrets:
        listed = list(secrets.list())
    if arguments.json:
        write_json(listed)
    else:
        write_output("\n".join(_shown(it["name"], it["user_id"], it["plugin"]) for it in listed))
    return 0


def _secret(arguments: argparse.Namespace) -> PluginSecret:
    try:
        return PluginSecret(name=arguments.name, user_id=arguments.user, plugin=arguments.plugin)
    except ValueError as error:
        raise Fault(str(error), exit_code=MISUSE) from None


def _read_value(name: str) -> str:
    if is_terminal(sys.stdin):
        text = getpass.getpass(f"Value of {name}: ")
    else:
        text = read_all().removesuffix("\n").removesuffix("\r")
    try:
        return check_secret_value(text)
    except ValueError as error:
        raise Fault(str(error)) from None


@contextmanager
def _opened(arguments: argparse.Namespace) -> Iterator[_Secrets]:
    """Yield the secrets of the daemon at a URL, or of the data directory: through the daemon that uses it."""
    address = daemon_address(arguments)
    if address.is_remote:
        with Client(address=address, start=False) as client:
            yield _OfDaemon(client)
    else:
        with _in_directory(arguments.config) as secrets:
            yield secrets


@contextmanager
def _in_directory(config: Config) -> Iterator[_Secrets]:
    from stringd.storage.data_directory import data_directory
    from stringd.storage.secret_store import SecretFile

    try:
        with data_directory(config.data_dir, _report):
            store = SecretFile(_report)
            store.open(config.data_dir)
            yield _OfDirectory(store, config)
    except DataDirectoryInUse:
        with Client(port=config.port, start=False) as client:
            _require_same_directory(client, config)
            yield _OfDaemon(client)


def _require_same_directory(client: Client, config: Config) -> None:
    try:
        used = Path(client.status()["data_dir"])
    except (StringdError, KeyError):
        used = None
    if used is None or used.resolve() != config.data_dir.resolve():
        raise Fault(
            f"data directory {config.data_dir} is in use, but not by a daemon on port {config.port}: "
            "give its port, as in stringd --port N secret"
        )


def _report(notice: str) -> None:
    write_error(f"stringd: {notice}")


def _shown(name: str, user_id: str | None, plugin: str | None) -> str:
    return f"{name} (user: {user_id or 'all'}, plugin: {plugin or 'all'})"


def _configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="action", required=True, parser_class=Parser)
    change = actions.add_parser(
        "set", help="store a secret, whose value is typed at a prompt or read from standard input"
    )
    change.set_defaults(act=_set)
    removal = actions.add_parser("remove", help="remove a secret of the same user and plugin")
    removal.set_defaults(act=_remove)
    for it in (change, removal):
        _add_owners(it)
    change.add_argument("rest", nargs="*", help=argparse.SUPPRESS)
    listing = actions.add_parser("list", help="list the names of all secrets, with their users and plugins")
    listing.add_argument("--json", action="store_true", help="print JSON")
    listing.set_defaults(act=_list)


def _add_owners(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument(
        "--user", metavar="ID", type=user_argument, help="only for this user (default: for all)"
    )
    parser.add_argument("--plugin", metavar="NAME", help="only for this plugin (default: for all)")


def _secret_command(arguments: argparse.Namespace) -> int:
    code: int = arguments.act(arguments)
    return code


SECRET = CliCommand(
    name="secret",
    summary="Set, list or remove keys and tokens for plugins; values are never shown.",
    configure=_configure,
    run=_secret_command,
)
