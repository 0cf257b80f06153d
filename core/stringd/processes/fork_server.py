"""The process that supervisors are forked from: small, so that each of them costs little memory."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import selectors
import socket
import sys
import traceback
from collections.abc import Mapping
from typing import Any, Protocol

from stringd.processes.lease_deadline import DEADLINE, wake_up
from stringd.processes.packets import Message, MessageSocket
from stringd.processes.supervisor import (
    FamilyModule,
    ProgramModule,
    ignore_termination_signals,
    supervise,
    supervise_family,
)
from stringd.processes.tree import (
    adopt_orphans,
    end_orphans,
    forbid_memory_access,
    kill_stopped_children,
    open_exit_notifier,
    reap_children,
)


class ForkedModule(Protocol):
    """A module that forks of the server run, as supervisors."""

    @property
    def __name__(self) -> str: ...

    def prepare_forks(self) -> None:
        """Load what all supervisors need into the memory that they share."""

    def remove_leftovers(self, supervisor: int) -> None:
        """Remove what a killed supervisor could not remove itself."""


class ForkedProgramModule(ForkedModule, ProgramModule, Protocol):
    """A module that opens one program for each supervisor."""


class ForkedFamilyModule(ForkedModule, FamilyModule, Protocol):
    """A module that supervises a family of processes in its own way."""


def main() -> None:
    """Fork a supervisor for each request on standard input, until the daemon has ended."""
    name, *hidden = sys.argv[1:]
    module: Any = importlib.import_module(name)
    ignore_termination_signals()
    adopt_orphans()
    if hidden:
        forbid_memory_access()
    module.prepare_forks()
    # A collection in a fork would touch, and so copy, the memory of all objects.
    gc.freeze()
    with socket.socket(fileno=0) as control:
        _ForkServer(module, MessageSocket(control)).run()


class _ForkServer:
    def __init__(self, module: ForkedModule, control: MessageSocket) -> None:
        self._module = module
        self._control = control
        self._supervisors: set[int] = set()
        self._advances = DEADLINE.advances

    def run(self) -> None:
        notifier = open_exit_notifier()
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(notifier, selectors.EVENT_READ)
            while True:
                ready = {key.fileobj for key, _ in selector.select()}
                # What a supervisor runs can stop it, and would then outlive its limits and the daemon.
                kill_stopped_children()
                self._reap_supervisors()
                self._pass_on_deadline()
                with contextlib.suppress(BlockingIOError):
                    os.read(notifier, 4096)
                if self._control in ready:
                    message = self._control.receive()
                    if message is None:
                        return
                    self._fork_supervisor(message)

    def _pass_on_deadline(self) -> None:
        """Wake up all supervisors if the deadline for programs has been moved to an earlier time."""
        if self._advances != DEADLINE.advances:
            self._advances = DEADLINE.advances
            wake_up(self._supervisors)

    def _reap_supervisors(self) -> None:
        """Reap supervisors; end the orphans of any that was killed, which this process has adopted."""
        statuses = dict(reap_children())
        self._supervisors -= statuses.keys()
        killed = [pid for pid, status in statuses.items() if status]
        if killed:
            end_orphans(self._supervisors)
        for pid in killed:
            self._module.remove_leftovers(pid)

    def _fork_supervisor(self, message: Message) -> None:
        if not message.descriptors:
            # This process may have no more descriptors; the client sees the end of its own socket.
            return
        with socket.socket(fileno=message.descriptors[0]) as control:
            supervisor = os.fork()
            if supervisor:
                self._supervisors.add(supervisor)
                return
            self._control.close()
            # The control socket was standard input: nothing else may get that number.
            os.open(os.devnull, os.O_RDWR)
            _supervise(self._module, MessageSocket(control), message.fields)


def _supervise(module: Any, control: MessageSocket, options: Mapping[str, Any]) -> None:
    try:
        if hasattr(module, "open_program"):
            supervise(module, control, options)
        else:
            supervise_family(module, control)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
