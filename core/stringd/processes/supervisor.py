"""Supervise programs from a process of their own, which ends their whole process tree.

The supervisor is forked from the fork server or started on its own by `start_supervisor`. A plugin's module
says how the program is started. The supervisor imports that module, which therefore must not import
`stringd.plugin`: each supervisor would hold all of the core in memory.
"""

from __future__ import annotations

import importlib
import json
import selectors
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from stringd.processes.deadline_timer import DeadlineTimer
from stringd.processes.family import TERMINATION_SIGNALS, Family, prepare_child
from stringd.processes.packets import MessageSocket
from stringd.processes.tree import limit_memory, shell_status


class SupervisedProgram(Protocol):
    """A program, as its supervisor sees it."""

    @property
    def poll_seconds(self) -> float | None:
        """How often `poll` is called and the memory is checked; None if only events matter."""

    @property
    def memory_limit(self) -> int | None:
        """How many bytes of memory the program and its descendants may hold."""

    def start(self, prepare_child: Callable[[], None]) -> int | None:
        """Start the program; return its process id, or None if that failed.

        `prepare_child` must be called in the child, before it becomes the program.
        """

    def handle_request(self) -> bool:
        """Handle what can be read from the control socket; return False to end the program."""

    def poll(self) -> None:
        """Do periodic work, after every event and every `poll_seconds`."""

    def report_exit(self, status: int) -> None:
        """Report that the program has exited; its descendants may still run."""


class ProgramModule(Protocol):
    """A module that opens programs to supervise."""

    @property
    def __name__(self) -> str: ...

    def open_program(
        self, control: MessageSocket, options: Mapping[str, Any]
    ) -> AbstractContextManager[SupervisedProgram]:
        """Prepare a program; the context ends when all of its processes have ended."""


class FamilyModule(Protocol):
    """A module that supervises any number of processes in its own way."""

    def supervise(self, family: Family, control: MessageSocket) -> None:
        """Serve the control socket until it is closed."""


def supervise(module: ProgramModule, control: MessageSocket, options: Mapping[str, Any]) -> None:
    """Run a program until it exits or its supervision is ended; then end all of its descendants."""
    with module.open_program(control, options) as program:
        # Only now, as the program may need certain descriptors, which its own must not take.
        family = Family()
        try:
            _run(program, control, family)
        finally:
            family.end()


def supervise_family(module: FamilyModule, control: MessageSocket) -> None:
    """Have a module supervise a family; then kill what is left of it."""
    family = Family()
    try:
        module.supervise(family, control)
    finally:
        family.kill()


def ignore_termination_signals() -> None:
    """Ignore the signals that a terminal or an init system sends to all processes of the daemon."""
    for number in TERMINATION_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def main() -> None:
    """Supervise the program that the arguments describe: a module and its options."""
    name, options = sys.argv[1:]
    module: Any = importlib.import_module(name)
    ignore_termination_signals()
    with socket.socket(fileno=0) as control:
        supervise(module, MessageSocket(control), json.loads(options))


def _run(program: SupervisedProgram, control: MessageSocket, family: Family) -> None:
    if reason := family.refusal():
        control.send({"error": reason})
        return
    pid = program.start(prepare_child)
    if pid is None:
        return
    code = _wait(program, pid, control, family)
    if code is not None:
        program.report_exit(shell_status(code))


def _wait(program: SupervisedProgram, pid: int, control: MessageSocket, family: Family) -> int | None:
    """Return the exit code of the program; None if it has to be ended, as at the deadline for programs."""
    with selectors.DefaultSelector() as selector, DeadlineTimer(selector) as timer:
        selector.register(control, selectors.EVENT_READ)
        selector.register(family, selectors.EVENT_READ)
        while (code := dict(family.reap()).get(pid)) is None:
            if timer.has_passed():
                return None
            ready = {key.fileobj for key, _ in selector.select(program.poll_seconds)}
            if control in ready and not program.handle_request():
                return None
            program.poll()
            if program.memory_limit is not None:
                limit_memory(program.memory_limit)
    program.poll()
    return code
