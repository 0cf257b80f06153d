"""The clock of leases, which goes on while the machine is suspended."""

from __future__ import annotations

import time
from functools import partial

boot_time = partial(time.clock_gettime, time.CLOCK_BOOTTIME)
"""Returns the seconds since the machine was started."""
