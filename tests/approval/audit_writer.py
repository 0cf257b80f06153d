"""A process that logs requests, and does what they ask for, until it is killed.

To run a request is to add its id to the file `ran`, once the log has its start.
"""

from __future__ import annotations

import asyncio
import os
import time
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path

from stringd_approval.audit.audit_log import AuditLog


def write(folder: Path, at_once: int, largest: int, writing: Connection) -> None:
    """Log and run requests without end, some at once."""
    asyncio.run(_write(folder, at_once, largest, writing))


async def _write(folder: Path, at_once: int, largest: int, writing: Connection) -> None:
    log = AuditLog(folder, largest=largest)
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
