"""The memory of a tree of processes, and its bound."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from pathlib import Path

from stringd.plugin.processes import descendants

MOST_MEMORY = 1536 * 1024**2
# What several processes map from one file counts for none of them.
_OWN = re.compile(rb"^(?:RssAnon|RssShmem):\s+(\d+) kB", re.MULTILINE)
_KIB = 1024


def keep_within(most: int) -> None:
    """Kill the largest descendants of this process until the rest holds no more than so many bytes."""
    held = {pid: _memory_of(pid) for pid in descendants()}
    while sum(held.values()) > most:
        largest = max(held, key=held.__getitem__)
        del held[largest]
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(largest, signal.SIGKILL)


def _memory_of(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return 0
    return sum(map(int, _OWN.findall(status))) * _KIB
