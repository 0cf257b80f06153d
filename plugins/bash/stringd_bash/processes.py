"""A look at the processes of this machine, shared by all topics: taking one costs more than using it."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

_FRESH_SECONDS = 0.04
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process: whether it is asleep, by the kernel's letter."""

    pid: int
    state: str


class ProcessTable:
    """Knows the processes of each process group."""

    def __init__(self) -> None:
        self._groups: dict[int, list[Process]] = {}
        self._taken = 0.0

    def group(self, number: int) -> list[Process]:
        """Return the members of a group, as they were a moment ago at most."""
        if time.monotonic() - self._taken > _FRESH_SECONDS:
            self._groups = _groups()
            self._taken = time.monotonic()
        return self._groups.get(number, [])


def _groups() -> dict[int, list[Process]]:
    groups: dict[int, list[Process]] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                # The name of the program stands in brackets and may itself hold any.
                fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
                process = Process(pid=int(entry.name), state=fields[0].decode())
                groups.setdefault(int(fields[2]), []).append(process)
    return groups
