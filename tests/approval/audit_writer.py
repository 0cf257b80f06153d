"""Processes that log requests, and do what they ask for, until they are killed.

To run a request is to add its id to the file `ran`, once the log has its start.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import time
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path

from stringd_approval.audit.audit_log import AuditLog

LONGEST = 0.03
ROTATED_AT = 10_000
# Forks have imported everything. Tests must not fork, because they have threads.
FORKS = multiprocessing.get_context("fork")


def kill_writers(folder: Path, times: int, seed: int) -> None:
    """Start writers of one log, one after the other, and kill each at a random moment after it has begun."""
    chance = random.Random(seed)
    for _ in range(times):
        ready, writing = FORKS.Pipe(duplex=False)
        writer = FORKS.Process(target=_write, args=(folder, chance.randint(1, 8), writing))
        writer.start()
        writing.close()
        assert ready.poll(30)
        ready.recv()
        time.sleep(chance.uniform(0, LONGEST))
        writer.kill()
        writer.join(30)
        assert writer.exitcode == -signal.SIGKILL


def _write(folder: Path, at_once: int, writing: Connection) -> None:
    """Log and run requests without end, some at once."""
    asyncio.run(_log_requests(folder, at_once, writing))


async def _log_requests(folder: Path, at_once: int, writing: Connection) -> None:
    log = AuditLog(folder, largest=ROTATED_AT)
    ran = os.open(folder / "ran", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    numbers = count()

    async def requests() -> None:
        while True:
            name = f"{os.getpid()}-{time.monotonic_ns()}-{next(numbers)}"
            await log.append("arrival", sync=False, id=name, pipeline=[["true", "x" * 100]])
            await log.append("decision", sync=False, id=name, by="policy")
            await log.append("start", sync=True, id=name)
            os.write(ran, f"{name}\n".encode())
            await log.append("end", sync=False, id=name)

    writing.send(True)
    await asyncio.gather(*(requests() for _ in range(at_once)))
