"""Where measured processes run: a client on one core, its servers on another."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def apart(servers: Iterable[int]) -> Iterator[None]:
    """Keep this process on one core, and servers with these process ids on another.

    If they share a core, an answer takes half as long, since no idle core is woken. The scheduler decides
    that differently for each pair of processes, and keeps to it.
    """
    allowed = os.sched_getaffinity(0)
    own, *others = sorted(allowed)
    if not others:
        yield
        return
    for pid in servers:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), others[:1])
    os.sched_setaffinity(0, {own})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
