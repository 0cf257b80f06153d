"""A daemon that a program starts for itself, and that ends with the program."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO

from msgspec import Struct
from msgspec.structs import replace

from stringd.client.user_directories import program_folder
from stringd.config import Config
from stringd.errors import Fault
from stringd.processes.tree import die_with_parent

_START_SECONDS = 15.0
_END_SECONDS = 10.0
_POLL_SECONDS = 0.02
_SHARED = "XDG_RUNTIME_DIR"
_LISTENING = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")


class TemporaryDaemon(Struct, frozen=True, kw_only=True):
    """The port of a daemon, and the token that makes its program the operator."""

    port: int
    operator_token: str


def with_clients_data(config: Config) -> Config:
    """Return the configuration with the data directory of daemons that clients start, unless one is given."""
    is_given = config.data_dir != Config().data_dir
    directory = config.data_dir.absolute() if is_given else program_folder() / config.data_dir
    return replace(config, data_dir=directory)


@contextmanager
def temporary_daemon(config: Config, *, is_private: bool = False) -> Iterator[TemporaryDaemon]:
    """Run a daemon with this configuration within the context; the port may be 0.

    It is killed with this program. A private one keeps out of the folder where a user's daemons have their
    sockets. Raise a `Fault` with its own message if it does not start.
    """
    ours, theirs = socket.socketpair()
    environment = {name: it for name, it in os.environ.items() if not (is_private and name == _SHARED)}
    with ours, theirs, tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        child = _spawn([*_arguments(config), "--operator-fd", str(theirs.fileno())], environment, log, theirs)
        try:
            theirs.close()
            port = _await_listening(child, log)
            with ours.makefile() as lines:
                token = lines.readline().strip()
            yield TemporaryDaemon(port=port, operator_token=token)
        finally:
            _end(child)


def _spawn(
    arguments: Sequence[str], environment: Mapping[str, str], log: IO[str], channel: socket.socket
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "stringd", *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        # Ctrl-C is for the program in front of the terminal, which decides when the daemon ends.
        start_new_session=True,
        preexec_fn=die_with_parent,
        pass_fds=(channel.fileno(),),
    )


def _arguments(config: Config) -> Iterator[str]:
    """Yield the options of `stringd` that lead to this configuration; variables are inherited."""
    yield from ("--port", str(config.port), "--data-dir", str(config.data_dir), "--access", config.access)
    if config.plugins is not None:
        yield from ("--plugins", ",".join(config.plugins))
    if config.plugins_dir is not None:
        yield from ("--plugins-dir", str(config.plugins_dir))
    yield from ("--without", ",".join(config.without))
    yield from ("--keep-env", ",".join(config.kept_variables))
    for origin in sorted(config.allowed_origins):
        yield from ("--allow-origin", origin)
    for option, value in config.plugin_options:
        yield from (option,) if value is None else (option, value)


def _await_listening(child: subprocess.Popen[bytes], log: IO[str]) -> int:
    deadline = time.monotonic() + _START_SECONDS
    while not (found := _LISTENING.search(_text(log))):
        if child.poll() is not None or time.monotonic() > deadline:
            raise Fault(f"the daemon did not start: {_last_line(_text(log))}")
        time.sleep(_POLL_SECONDS)
    return int(found[1])


def _text(log: IO[str]) -> str:
    log.seek(0)
    return log.read()


def _last_line(text: str) -> str:
    last = next((line.strip() for line in reversed(text.split("\n")) if line.strip()), "it printed nothing")
    return last.removeprefix("stringd: ")


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
