"""The daemon that a program's run belongs to: a running one, or one that ends with the program."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from stringd.plugin.files import real_path
from stringd.plugin.terminal_programs import (
    Client,
    DaemonAddress,
    DaemonUnreachable,
    PortTaken,
    TemporaryDaemon,
    daemon_address,
    forbid_memory_access,
    temporary_daemon,
    with_clients_data,
)

if TYPE_CHECKING:
    from stringd.plugin import Config


class RunDaemon(Struct, frozen=True, kw_only=True):
    """A daemon, and the operator's token if the program's user is its operator."""

    address: DaemonAddress
    token: str | None = None
    has_others: bool = True
    """Whether other programs can find it."""


@contextmanager
def running_daemon(arguments: argparse.Namespace) -> Iterator[RunDaemon]:
    """Provide the daemon that the arguments name; without one on this machine, run one within the context.

    The user is registered.
    """
    address = daemon_address(arguments)
    try:
        _register(address, arguments.user)
    except PortTaken:
        raise
    except DaemonUnreachable:
        if address.is_remote:
            raise
        forbid_memory_access()
        with temporary_daemon(with_clients_data(arguments.config)) as started:
            yield _own_daemon(started, arguments.user)
    else:
        yield RunDaemon(address=address)


@contextmanager
def dry_daemon(config: Config, user: str, file: Path) -> Iterator[RunDaemon]:
    """Run a daemon that keeps nothing, and whose user's home is the working directory.

    A strategy elsewhere has its own directory as the home.
    """
    directory = Path.cwd()
    real_file = real_path(file)
    home = directory if real_file.is_relative_to(real_path(directory)) else real_file.parent
    forbid_memory_access()
    with tempfile.TemporaryDirectory(prefix="stringd-dry-") as data:
        private = replace(config, port=0, data_dir=Path(data))
        with temporary_daemon(private, is_private=True) as started:
            yield replace(_own_daemon(started, user, home), has_others=False)


def may_access(daemon: RunDaemon, user: str, path: Path) -> bool:
    """Whether a path of this machine is in the user's home or an allowed one."""
    if daemon.address.is_remote:
        return False
    record = _record(daemon, user)
    roots = (record["home"], *record["allowedPaths"])
    return any(real_path(path).is_relative_to(real_path(it)) for it in roots)


def home_of(daemon: RunDaemon, user: str) -> Path:
    """Return the home of a user, who is registered."""
    return Path(_record(daemon, user)["home"])


def _record(daemon: RunDaemon, user: str) -> Mapping[str, Any]:
    with Client(user, address=daemon.address, start=False) as client:
        return next(it for it in client.users() if it["id"] == user)


def _own_daemon(started: TemporaryDaemon, user: str, home: Path | None = None) -> RunDaemon:
    address = DaemonAddress(port=started.port)
    _register(address, user, home)
    return RunDaemon(address=address, token=started.operator_token)


def _register(address: DaemonAddress, user: str, home: Path | None = None) -> None:
    with Client(user, address=address, home=home, start=False) as client:
        client.prepare()
