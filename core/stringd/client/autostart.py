"""Starting the daemon: a detached process that outlives whoever needed it first."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from stringd.client.homes import program_folder
from stringd.errors import DaemonUnreachable

if TYPE_CHECKING:
    from collections.abc import Callable

START_SECONDS = 15.0
# A daemon that finds the port taken ends early: the one that took it is about to answer.
GRACE_SECONDS = 2.0
POLL_SECONDS = 0.02


def start_daemon(port: int, ping: Callable[[], object]) -> None:
    """Start a daemon on `port` and return once `ping` finds one there, this one or another."""
    log = program_folder() / "stringd.log"
    with log.open("ab") as output:
        begin = output.tell()
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "stringd"],
            cwd=log.parent,
            env=_environment(port),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    # Waited for in the background, the child leaves no zombie behind in a caller that lives long.
    threading.Thread(target=child.wait, daemon=True).start()
    if not _answers(child, ping):
        raise DaemonUnreachable(_reason(child, log, begin))


def _environment(port: int) -> dict[str, str]:
    environment = {**os.environ, "STRINGD_PORT": str(port)}
    if data_dir := environment.get("STRINGD_DATA_DIR"):
        environment["STRINGD_DATA_DIR"] = str(Path(data_dir).absolute())
    return environment


def _answers(child: subprocess.Popen[bytes], ping: Callable[[], object]) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while not _succeeds(ping):
        if child.returncode is not None:
            deadline = min(deadline, time.monotonic() + GRACE_SECONDS)
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
    return f"The daemon did not start: {last}"
