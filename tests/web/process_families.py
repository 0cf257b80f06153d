"""Helpers to find descendant processes and to wait for their end."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PATIENCE = 10.0


def family(ancestor: int) -> dict[int, str]:
    """Return the command lines of all processes that descend from one."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for pid, parent in _parents():
        children[parent].append(pid)
    found = list(children[ancestor])
    for pid in found:
        found += children[pid]
    return {pid: _command_line(pid) for pid in found}


def command_lines(*pids: int) -> dict[int, str]:
    """Return the command lines of processes, which must be running."""
    found = {it: _command_line(it) for it in pids}
    assert all(found.values()), found
    return found


def end_within_moments(pids: dict[int, str]) -> bool:
    """Whether processes end soon, all of them."""
    deadline = time.monotonic() + PATIENCE
    while any(_command_line(pid) == command for pid, command in pids.items() if command):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _parents() -> Iterator[tuple[int, int]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            yield int(entry.name), int(fields[1])


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
