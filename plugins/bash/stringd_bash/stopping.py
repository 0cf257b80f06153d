"""Stop what a shell evaluates and keep the shell: interrupt, terminate, kill; at last end the shell too."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Iterable, Iterator, Mapping

from stringd.plugin.processes import Process, processes
from stringd_bash.evaluation import Evaluation, Progress

_INTERRUPTED_SECONDS = 0.7
_TERMINATED_SECONDS = 0.4
_KILL_ROUNDS = 8
_KILLED_SECONDS = 0.05
_PAUSE_SECONDS = 0.02
_TERMINATION = (signal.SIGHUP, signal.SIGTERM, signal.SIGCONT)
_ZOMBIE = "Z"


async def stop(evaluation: Evaluation, *, may_wait: bool = False) -> Progress:
    """Stop an evaluation within two seconds, and return its state.

    With `may_wait`, a program that waits for input once it was interrupted is left as it is.
    """
    programs = _Programs(evaluation)
    if not may_wait:
        programs.interrupt_shell()
    evaluation.shell.terminal.signal(signal.SIGINT)
    progress = await evaluation.wait(_INTERRUPTED_SECONDS)
    if progress is Progress.WAITING and may_wait:
        return progress
    if await programs.have_ended(0):
        return Progress.ENDED
    programs.signal(*_TERMINATION)
    if await programs.have_ended(_TERMINATED_SECONDS):
        return Progress.ENDED
    for _ in range(_KILL_ROUNDS):
        programs.signal(signal.SIGKILL)
        if await programs.have_ended(_KILLED_SECONDS):
            return Progress.ENDED
    await evaluation.shell.end()
    return Progress.ENDED


class _Programs:
    """The processes in a shell's foreground with all their descendants, and those that have been there."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._shell = evaluation.shell
        self._known: Mapping[int, Process] = {}
        self._look()

    def interrupt_shell(self) -> None:
        """Have the shell evaluate no more once the program that it waits for has ended."""
        if self._evaluation.is_running:
            _send(signal.SIGINT, [self._shell.pid])

    def signal(self, *numbers: signal.Signals) -> None:
        """Signal all of them, and interrupt the shell."""
        self._look()
        self.interrupt_shell()
        for number in numbers:
            _send(number, self._known)

    async def have_ended(self, seconds: float) -> bool:
        """Wait until they and the evaluation have ended, at most so long; return whether they have."""
        deadline = time.monotonic() + seconds
        await asyncio.wait({self._evaluation.result}, timeout=seconds)
        self._look()
        while self._known and time.monotonic() < deadline:
            await asyncio.sleep(_PAUSE_SECONDS)
            self._look()
        return not (self._known or self._evaluation.is_running)

    def _look(self) -> None:
        """Find those that are in the foreground now, and forget those that have ended."""
        table = [it for it in processes() if it.state != _ZOMBIE]
        found = [it for it in table if it.pid in self._known and it.session == self._known[it.pid].session]
        if self._evaluation.is_running:
            group = self._shell.terminal.foreground()
            found += [it for it in table if it.group == group and it.pid != self._shell.pid]
        self._known = {it.pid: it for it in _with_descendants(found, table)}


def _with_descendants(ancestors: Iterable[Process], table: Iterable[Process]) -> Iterator[Process]:
    children: dict[int, list[Process]] = {}
    for process in table:
        children.setdefault(process.parent, []).append(process)
    found = list(ancestors)
    for process in found:
        found += children.pop(process.pid, [])
        yield process


def _send(number: signal.Signals, pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
