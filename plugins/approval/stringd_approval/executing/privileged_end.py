"""End the processes of a privileged pipeline, which belong to root.

Supervisors import this module: it must not import `stringd.plugin`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from stringd_approval.executing.executables import find_program
from stringd_approval.executing.stage_start import NOWHERE

if TYPE_CHECKING:
    from stringd.plugin.processes import Family
    from stringd_approval.executing.stage_terminal import StageTerminal

_ATTEMPTS = 3
_PATIENCE_SECONDS = 0.5
_SHORTEST_SECONDS = 0.05
_PAUSE_SECONDS = 0.01
_KILL = ("-n", "--", "/bin/kill", "-KILL", "--")


def end_privileged(family: Family, terminal: StageTerminal, sudo: str) -> None:
    """Have sudo end its commands, and kill those that do not end.

    This process may signal sudo, which relays signals to its command, but not the command itself. Root's own
    `kill` may, as far as the host's policy lets sudo run it without asking again.
    """
    for pid in _members(family, terminal):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGTERM)
    for _ in range(_ATTEMPTS):
        if _are_gone_soon(family, terminal):
            return
        _kill_as_root(sudo, _members(family, terminal), terminal.leader)
    terminal.interrupt()


def _members(family: Family, terminal: StageTerminal) -> list[int]:
    return [pid for pid in family.members() if pid != terminal.leader]


def _are_gone_soon(family: Family, terminal: StageTerminal) -> bool:
    deadline = time.monotonic() + max(_SHORTEST_SECONDS, min(_PATIENCE_SECONDS, family.seconds_left()))
    while _members(family, terminal):
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_SECONDS)
        # What is left is killed anyway: how it ended matters no more.
        list(family.reap())
    return True


def _kill_as_root(sudo: str, pids: Iterable[int], group: int) -> None:
    with contextlib.suppress(OSError):
        os.posix_spawn(
            find_program(sudo),
            [sudo, *_KILL, *map(str, pids)],
            {},
            file_actions=[(os.POSIX_SPAWN_DUP2, NOWHERE, descriptor) for descriptor in range(3)],
            setpgroup=group,
            setsigmask=(),
            setsigdef=signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP},
        )
