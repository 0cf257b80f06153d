"""One command under a supervisor, for daemons with a deadline for programs: it ends in time in any case.

The fork server and its supervisors import this module, so it imports little.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stringd.processes.deadline_timer import DeadlineTimer
    from stringd.processes.family import Family
    from stringd.processes.packets import MessageSocket

_DEFAULT_SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}


def prepare_forks() -> None:
    """Start a first program, so that what that loads belongs to no supervisor alone."""
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)


def remove_leftovers(supervisor: int) -> None:
    """Do nothing: a supervisor leaves no files."""


def write_order(order: Mapping[str, Any]) -> int:
    """Return the descriptor of a file in memory with an order, which may be longer than a message."""
    descriptor = os.memfd_create("order")
    with open(descriptor, "wb", buffering=0, closefd=False) as file:
        file.write(json.dumps(order).encode())
    return descriptor


def supervise(family: Family, control: MessageSocket) -> None:
    """Run the ordered command; then let go on what has left its process group, until the deadline."""
    message = control.receive()
    if message is None:
        return
    with selectors.DefaultSelector() as selector, family.deadline_timer(selector) as timer:
        if reason := family.refusal():
            control.send({"error": reason})
            return
        try:
            leader = _start(_read_order(message.descriptors[0]), message.descriptors[1:])
        except OSError as error:
            control.send({"error": error.strerror, "errno": error.errno})
            return
        _Command(family, control, leader).wait(selector, timer)


def _read_order(descriptor: int) -> Mapping[str, Any]:
    with open(descriptor, "rb") as file:
        file.seek(0)
        order: Mapping[str, Any] = json.load(file)
        return order


def _start(order: Mapping[str, Any], streams: Sequence[int]) -> int:
    """Start the command in a session of its own, with the streams as its standard ones; return its id."""
    os.chdir(order["directory"])
    try:
        return os.posix_spawn(
            order["command"][0],
            order["command"],
            order["environment"],
            file_actions=[(os.POSIX_SPAWN_DUP2, ours, theirs) for theirs, ours in enumerate(streams)],
            setsid=True,
            setsigmask=(),
            setsigdef=_DEFAULT_SIGNALS,
        )
    finally:
        os.chdir("/")
        for descriptor in streams:
            os.close(descriptor)


class _Command:
    """A command that runs: its leader, which the daemon waits for, and all that this has started."""

    def __init__(self, family: Family, control: MessageSocket, leader: int) -> None:
        self._family = family
        self._control = control
        self._leader = leader
        self._has_ended = False
        self._is_left = False

    def wait(self, selector: selectors.BaseSelector, timer: DeadlineTimer) -> None:
        """Return when all of it has ended or has to be killed."""
        selector.register(self._control, selectors.EVENT_READ)
        selector.register(self._family, selectors.EVENT_READ)
        while not timer.has_passed():
            self._reap()
            if self._is_left and not self._family.members():
                return
            ready = {key.fileobj for key, _ in selector.select()}
            if self._control in ready:
                if not self._has_ended:
                    return
                selector.unregister(self._control)
                self._leave()

    def _reap(self) -> None:
        for pid, code in self._family.reap():
            if pid == self._leader:
                self._has_ended = True
                with contextlib.suppress(OSError):
                    self._control.send({"code": code})

    def _leave(self) -> None:
        """End what is left of the command's process group, as the daemon has seen its end."""
        self._is_left = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._leader, signal.SIGKILL)
