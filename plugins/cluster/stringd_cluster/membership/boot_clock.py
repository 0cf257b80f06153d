"""The clock of leases, which goes on while the machine is suspended."""

from __future__ import annotations

import time


def boot_time() -> float:
    """Return the seconds since the machine was started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
