"""Supervise one program from a process of its own, which ends the program's whole process tree.

The supervisor is forked from the fork server or started on its own by `start_supervisor`. A plugin's module
says how the program is started. The supervisor imports that module, which therefore must not import
`stringd.plugin`: each supervisor would hold all of the core in memory.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import selectors
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from stringd.processes.packets import MessageSocket
from stringd.processes.tree import (
    adopt_orphans,
    die_with_parent,
    end_descendants,
    limit_memory,
    open_exit_notifier,
    reap_children,
)

_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_RESET = (*_IGNORED, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)


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


def supervise(module: ProgramModule, control: MessageSocket, options: Mapping[str, Any]) -> None:
    """Run a program until it exits or its supervision is ended; then end all of its descendants."""
    adopt_orphans()
    with module.open_program(control, options) as program:
        notifier = open_exit_notifier()
        try:
            _run(program, control, notifier)
        finally:
            end_descendants()


def ignore_termination_signals() -> None:
    """Ignore the signals that a terminal or an init system sends to all processes of the daemon."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)


def main() -> None:
    """Supervise the program that the arguments describe: a module and its options."""
    name, options = sys.argv[1:]
    module: Any = importlib.import_module(name)
    ignore_termination_signals()
    with socket.socket(fileno=0) as control:
        supervise(module, MessageSocket(control), json.loads(options))


def _run(program: SupervisedProgram, control: MessageSocket, notifier: int) -> None:
    pid = program.start(_prepare_child)
    if pid is None:
        return
    status = _wait(program, pid, control, notifier)
    if status is not None:
        program.report_exit(status)


def _wait(program: SupervisedProgram, pid: int, control: MessageSocket, notifier: int) -> int | None:
    """Return the exit status of the program; None if it has to be ended."""
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        selector.register(notifier, selectors.EVENT_READ)
        while (status := dict(reap_children()).get(pid)) is None:
            ready = {key.fileobj for key, _ in selector.select(program.poll_seconds)}
            if control in ready and not program.handle_request():
                return None
            with contextlib.suppress(BlockingIOError):
                os.read(notifier, 4096)
            program.poll()
            if program.memory_limit is not None:
                limit_memory(program.memory_limit)
    program.poll()
    return status


def _prepare_child() -> None:
    die_with_parent()
    for number in _RESET:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
