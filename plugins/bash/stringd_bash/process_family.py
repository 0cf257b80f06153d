"""Processes with all their descendants, which are signalled until none is left."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from stringd.plugin.processes import Process, descendants, processes, read_process

_TERMINATED_SECONDS = 0.4
_KILL_ROUNDS = 8
_KILLED_SECONDS = 0.05
_PAUSE_SECONDS = 0.02
_TERMINATION = (signal.SIGHUP, signal.SIGTERM, signal.SIGCONT)
_ZOMBIE = "Z"


class ProcessFamily:
    """The processes that are found in a table of all, at each look, and all that were found before."""

    def __init__(self, find: Callable[[Sequence[Process]], Iterable[Process]]) -> None:
        self._find = find
        self._known: Mapping[int, Process] = {}
        self.look()

    def look(self) -> None:
        """Find those that are there now, and forget those that have ended."""
        table = [it for it in processes() if it.state != _ZOMBIE]
        found = [it for it in table if it.pid in self._known and it.started == self._known[it.pid].started]
        found += self._find(table)
        found = list(_with_descendants(found, table))
        self._known = {it.pid: it for it in (*found, *_started_since(found))}

    def signal(self, *numbers: signal.Signals) -> None:
        """Signal all of them."""
        self.look()
        for number in numbers:
            send_signal(number, self._known)

    async def have_ended(self, seconds: float) -> bool:
        """Wait until they have ended, at most so long; return whether they have."""
        deadline = time.monotonic() + seconds
        self.look()
        while self._known and time.monotonic() < deadline:
            await asyncio.sleep(_PAUSE_SECONDS)
            self.look()
        return not self._known

    async def end(self) -> bool:
        """Terminate them, then kill them; return whether they have ended."""
        self.signal(*_TERMINATION)
        if await self.have_ended(_TERMINATED_SECONDS):
            return True
        for _ in range(_KILL_ROUNDS):
            self.signal(signal.SIGKILL)
            if await self.have_ended(_KILLED_SECONDS):
                return True
        return False


def send_signal(number: signal.Signals, pids: Iterable[int]) -> None:
    """Signal those of the processes that exist and may be signalled."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _with_descendants(ancestors: Iterable[Process], table: Iterable[Process]) -> Iterator[Process]:
    children: dict[int, list[Process]] = {}
    for process in table:
        children.setdefault(process.parent, []).append(process)
    found = list(ancestors)
    for process in found:
        found += children.pop(process.pid, [])
        yield process


def _started_since(found: Iterable[Process]) -> Iterator[Process]:
    """Yield what they have started while the table was read; once they end, nothing would lead to it."""
    known = {it.pid for it in found}
    for pid in {it for ancestor in known for it in descendants(ancestor)} - known:
        with contextlib.suppress(OSError):
            process = read_process(pid)
            if process.state != _ZOMBIE:
                yield process
