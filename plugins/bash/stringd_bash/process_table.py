"""A snapshot of the machine's processes, shared by all topics: taking one costs more than using it."""

from __future__ import annotations

import time
from collections.abc import Iterator

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
        self._refresh()
        root = self._by_pid.get(shell)
        if root is None:
            return []
        family = self._descendants(root.parent)
        return [it for it in family if it.group == foreground or it.session != root.session]

    def _descendants(self, ancestor: int) -> Iterator[Process]:
        found = list(self._children.get(ancestor, ()))
        for process in found:
            found += self._children.get(process.pid, ())
            yield process

    def _refresh(self) -> None:
        if time.monotonic() - self._taken > _FRESH_SECONDS:
            self._by_pid = {process.pid: process for process in processes()}
            self._children = {}
            for process in self._by_pid.values():
                self._children.setdefault(process.parent, []).append(process)
            self._taken = time.monotonic()
