"""Starts the daemon as a detached process that outlives its client."""

from __future__ import annotations

import fcntl
import math
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from stringd.client.user_directories import program_folder
from stringd.config import absolute_plugins, split_names
from stringd.errors import DaemonUnreachable, Fault
from stringd.files.regular_files import require_file

if TYPE_CHECKING:
    from collections.abc import Callable

START_SECONDS = 15.0
POLL_SECONDS = 0.02
# A daemon that exits at once may have found another: one that is about to answer, or one that is shutting
# down and still holds the port or the data directory. After misuse, waiting does not help.
GRACE_SECONDS = 6.0
RESTART_SECONDS = 0.3
MISUSE = 2


def start_daemon(port: int, ping: Callable[[], object], *, operator: bool = False) -> str | None:
    """Start a daemon on `port`; return once `ping` succeeds, for this daemon or another.

    For an operator, return the token of the daemon that was started; None if it is another's.
    """
    log = _log_file()
    with log.open("ab") as lock:
        # One client at a time, or a second daemon would take over once the first has ended. Not every file
        # system supports locks.
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        if _succeeds(ping):
            return None
        if not operator:
            _start(port, ping, log)
            return None
        ours, theirs = socket.socketpair()
        with ours, theirs:
            _start(port, ping, log, theirs)
            theirs.close()
            return _received_token(ours)


def _received_token(channel: socket.socket) -> str | None:
    """Return the last token that was sent, since an exited daemon may have been replaced by another."""
    channel.settimeout(START_SECONDS)
    with channel.makefile() as lines:
        return next(reversed(lines.read().split()), None)


def _log_file() -> Path:
    """Return the log file; refuse anything else there, since opening a pipe would block."""
    log = program_folder() / "stringd.log"
    try:
        require_file(log)
    except OSError as error:
        raise Fault(f"The log {log} cannot be written: {error.strerror}.") from error
    return log


def _start(port: int, ping: Callable[[], object], log: Path, operator: socket.socket | None = None) -> None:
    begin, deadline, patience = log.stat().st_size, time.monotonic() + START_SECONDS, math.inf
    child = _spawn(port, log, operator)
    while not _comes_up(child, ping, deadline):
        patience = min(patience, time.monotonic() + GRACE_SECONDS)
        if child.returncode in {None, MISUSE} or time.monotonic() > patience:
            raise DaemonUnreachable(_reason(child, log, begin))
        child = _spawn(port, log, operator)


def _spawn(port: int, log: Path, operator: socket.socket | None) -> subprocess.Popen[bytes]:
    descriptors = (operator.fileno(),) if operator else ()
    options = [it for descriptor in descriptors for it in ("--operator-fd", str(descriptor))]
    with log.open("ab") as output:
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "stringd", *options],
            cwd=log.parent,
            env=_environment(port),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            pass_fds=descriptors,
        )
    # Reap the child in the background, so that it does not stay a zombie of a long-lived client.
    threading.Thread(target=child.wait, daemon=True).start()
    return child


def _environment(port: int) -> dict[str, str]:
    environment = {**os.environ, "STRINGD_PORT": str(port)}
    if data_dir := environment.get("STRINGD_DATA_DIR"):
        environment["STRINGD_DATA_DIR"] = str(Path(data_dir).absolute())
    if plugins_dir := environment.get("STRINGD_PLUGINS_DIR"):
        environment["STRINGD_PLUGINS_DIR"] = str(Path(plugins_dir).absolute())
    if plugins := environment.get("STRINGD_PLUGINS"):
        environment["STRINGD_PLUGINS"] = ",".join(absolute_plugins(split_names(plugins)))
    return environment


def _comes_up(child: subprocess.Popen[bytes], ping: Callable[[], object], deadline: float) -> bool:
    while not _succeeds(ping):
        if child.returncode is not None:
            deadline = min(deadline, time.monotonic() + RESTART_SECONDS)
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _succeeds(ping: Callable[[], object]) -> bool:
    try:
        ping()
    except DaemonUnreachable:
        return False
    return True


def _reason(child: subprocess.Popen[bytes], log: Path, begin: int) -> str:
    if child.returncode is None:
        return f"The daemon was started but does not answer; its output is in {log}."
    with log.open("rb") as output:
        output.seek(begin)
        lines = output.read().decode(errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "it printed nothing")
    return f"The daemon did not start: {last.removeprefix('stringd: ')}"
