"""A look at the processes of this machine, shared by all topics: taking one costs more than using it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FRESH_SECONDS = 0.04
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process, by the kernel's letter for what it does and by what it belongs to."""

    pid: int
    state: str
    parent: int
    group: int
    session: int


class ProcessTable:
    """Knows all processes, as they were a moment ago at most."""

    def __init__(self) -> None:
        self._by_pid: dict[int, Process] = {}
        self._children: dict[int, list[Process]] = {}
        self._taken = 0.0

    def readers(self, shell: int, foreground: int) -> list[Process]:
        """Return who may read a shell's terminal now, which its background jobs may not.

        Beside the foreground's process group that is what has left the shell's session but not its tree.
        """
        self._renew()
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

    def _renew(self) -> None:
        if time.monotonic() - self._taken > _FRESH_SECONDS:
            self._by_pid = {process.pid: process for process in _processes()}
            self._children = {}
            for process in self._by_pid.values():
                self._children.setdefault(process.parent, []).append(process)
            self._taken = time.monotonic()


def _processes() -> Iterator[Process]:
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                # The name of the program stands in brackets and may itself hold any.
                fields = (entry / "stat").read_bytes().rpartition(b")")[2].split(maxsplit=4)
                parent, group, session = map(int, fields[1:4])
                yield Process(
                    pid=int(entry.name),
                    state=fields[0].decode(),
                    parent=parent,
                    group=group,
                    session=session,
                )
