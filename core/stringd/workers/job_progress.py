"""Progress reports of a job in a worker process to the daemon."""

from __future__ import annotations

import os
import time

from stringd.workers.protocol import progress_message

_SECONDS_BETWEEN = 0.05


class _Channel:
    """The descriptor for reports; None in the daemon itself."""

    def __init__(self) -> None:
        self.descriptor: int | None = None
        self.last = 0.0


_CHANNEL = _Channel()


def open_channel(descriptor: int) -> None:
    """Send reports to a descriptor from now on."""
    _CHANNEL.descriptor = descriptor


def report_parts(done: int, total: int) -> None:
    """Report the finished parts of a job; do nothing outside of worker processes."""
    if _CHANNEL.descriptor is None or time.monotonic() - _CHANNEL.last < _SECONDS_BETWEEN:
        return
    _CHANNEL.last = time.monotonic()
    os.write(_CHANNEL.descriptor, progress_message(done, total))
