"""How far a job in a worker process is, told to the daemon while the job runs."""

from __future__ import annotations

import os
import time

from stringd.workers.protocol import progress_message

_SECONDS_BETWEEN = 0.05


class _Channel:
    """Where the process reports to; nowhere in the daemon itself."""

    def __init__(self) -> None:
        self.descriptor: int | None = None
        self.last = 0.0


_CHANNEL = _Channel()


def open_channel(descriptor: int) -> None:
    """Report on a descriptor from now on."""
    _CHANNEL.descriptor = descriptor


def report_parts(done: int, total: int) -> None:
    """Say that a job has done so many of its parts; outside of worker processes nobody hears of it."""
    if _CHANNEL.descriptor is None or time.monotonic() - _CHANNEL.last < _SECONDS_BETWEEN:
        return
    _CHANNEL.last = time.monotonic()
    os.write(_CHANNEL.descriptor, progress_message(done, total))
