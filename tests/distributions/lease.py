"""A plugin for tests: it sets the deadline for programs as a file says, again and again."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable
from pathlib import Path

from stringd.plugin import Service, hookimpl
from stringd.plugin.processes import clear_deadline, set_deadline

RENEWAL_SECONDS = 0.02


@hookimpl
def stringd_services() -> Iterable[Service]:
    """Return the service that renews the lease."""
    return [Service(name="lease", run=renew)]


def read(file: Path) -> str:
    """Return the line of the file."""
    return file.read_text(encoding="ascii").strip()


async def renew() -> None:
    """Read for how many seconds from now programs may run: `none` for no deadline, nothing to renew none."""
    file = Path(os.environ["LEASE_FILE"])
    while True:
        seconds = read(file)
        if seconds == "none":
            clear_deadline()
        elif seconds:
            set_deadline(time.clock_gettime(time.CLOCK_BOOTTIME) + float(seconds))
        await asyncio.sleep(RENEWAL_SECONDS)
