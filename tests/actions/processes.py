"""Wait for processes to end."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 10.0


def wait_for(done: Callable[[], bool]) -> None:
    """Return as soon as it is so, or fail."""
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or waits for its parent to hear of it."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return True
    return status.rpartition(")")[2].split()[0] == "Z"
