"""A snapshot of the machine's processes, shared by all topics: taking one costs more than using it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from stringd.plugin.processes import Process, processes

_FRESH_SECONDS = 0.04


class ProcessTable:
    """Holds all processes as they were a moment ago at most."""

    def __init__(self) -> None:
        self._by_pid: dict[int, Process] = {}
        self._children: dict[int, list[Process]] = {}
        self._taken = 0.0

    def terminal_readers(self, shell: int, foreground: int) -> list[Process]:
        """Return the processes that may read a shell's terminal now, which background jobs may not.

        These are the foreground process group and the descendants that have left the shell's session.
        """
        family = self.family(shell)
        sessions = {it.session for it in family if it.pid == shell}
        return [it for it in family if it.group == foreground or it.session not in sessions]

    def family(self, shell: int, *, fresh: bool = False) -> Sequence[Process]:
        """Return a shell and all that it has started, parents before their children; none if it has ended."""
        self._refresh(0 if fresh else _FRESH_SECONDS)
        root = self._by_pid.get(shell)
        return [*self._descendants(root.parent)] if root else []

    def _descendants(self, ancestor: int) -> Iterator[Process]:
        found = list(self._children.get(ancestor, ()))
        for process in found:
            found += self._children.get(process.pid, ())
            yield process

    def _refresh(self, most_seconds: float) -> None:
        if time.monotonic() - self._taken > most_seconds:
            self._by_pid = {process.pid: process for process in processes()}
            self._children = {}
            for process in self._by_pid.values():
                self._children.setdefault(process.parent, []).append(process)
            self._taken = time.monotonic()
