"""Until when programs may run: a time in a page of memory that the daemon shares with its supervisors.

A daemon that another one may replace moves this deadline forward for as long as it is not replaced.
Supervisors read the page themselves, so that they end their programs in time even if the daemon is stopped
or gone. Without a deadline, nothing is timed.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import mmap
import os
import signal
import struct
import subprocess
import time
import weakref
from collections.abc import Iterable

NEVER = float("inf")
EXPIRED = "nothing may be done here any more, as another daemon may have taken over"
_CLOCK = time.CLOCK_BOOTTIME if hasattr(time, "CLOCK_BOOTTIME") else time.CLOCK_MONOTONIC
# Native and aligned, so each is read and written at once.
_DEADLINE, _ADVANCES = struct.Struct("@d"), struct.Struct("@q")
_ADVANCES_PLACE = _DEADLINE.size
_SIZE = mmap.PAGESIZE
_MAP_FAILED = ctypes.c_void_p(-1).value
_ALLOW_SEALING = 2
_ADD_SEALS = 1033
# No other mapping than the daemon's own can write, and no one can change the size.
_SEALS = 0x01 | 0x02 | 0x04 | 0x10


class LeaseDeadline:
    """The deadline, as the daemon sets it and supervisors read it; there is none at first."""

    def __init__(self) -> None:
        self._page: ctypes.Array[ctypes.c_char] = (ctypes.c_char * _SIZE)()
        self._descriptor: int | None = None
        self._sharers: weakref.WeakSet[subprocess.Popen[bytes]] = weakref.WeakSet()
        _DEADLINE.pack_into(self._page, 0, NEVER)

    @property
    def seconds(self) -> float:
        """The second of CLOCK_BOOTTIME from which on no program may run."""
        seconds: float = _DEADLINE.unpack_from(self._page)[0]
        return seconds

    @property
    def advances(self) -> int:
        """How often the deadline has been moved to an earlier time."""
        advances: int = _ADVANCES.unpack_from(self._page, _ADVANCES_PLACE)[0]
        return advances

    @property
    def is_set(self) -> bool:
        """Whether there is a deadline."""
        return self.seconds != NEVER

    def left(self) -> float:
        """Return how many seconds are left."""
        seconds = self.seconds
        return NEVER if seconds == NEVER else max(0.0, seconds - time.clock_gettime(_CLOCK))

    def has_passed(self) -> bool:
        """Return whether programs may not run any more."""
        return self.left() == 0

    def set(self, seconds: float) -> None:
        """Set the deadline; wake up the supervisors if they might sleep for too long."""
        if not seconds > 0:
            raise ValueError(f"A deadline is a second of CLOCK_BOOTTIME, not {seconds!r}.")
        if seconds != NEVER and self.shared() is None:
            raise OSError("Supervisors can't obey a deadline: this system has no files in memory.")
        is_earlier = seconds < self.seconds
        _DEADLINE.pack_into(self._page, 0, seconds)
        if is_earlier:
            _ADVANCES.pack_into(self._page, _ADVANCES_PLACE, self.advances + 1)
            wake_up(it.pid for it in list(self._sharers) if it.returncode is None)

    def shared(self) -> int | None:
        """Return the descriptor of the page, for supervisors; None if this system can't share memory."""
        if self._descriptor is None and hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("stringd-lease-deadline", os.MFD_CLOEXEC | _ALLOW_SEALING)
            os.ftruncate(descriptor, _SIZE)
            page = _mapped(descriptor, mmap.PROT_READ | mmap.PROT_WRITE)
            ctypes.memmove(page, self._page, _SIZE)
            # Older kernels have not all seals.
            with contextlib.suppress(OSError):
                fcntl.fcntl(descriptor, _ADD_SEALS, _SEALS)
            self._page, self._descriptor = page, descriptor
        return self._descriptor

    def add_sharer(self, process: subprocess.Popen[bytes]) -> None:
        """Have a process that shares the page woken up whenever the deadline is moved to an earlier time."""
        self._sharers.add(process)

    def adopt(self, descriptor: int) -> None:
        """Read the page of the daemon that has started this process, from now on."""
        self._page = _mapped(descriptor, mmap.PROT_READ)
        os.close(descriptor)


def _mapped(descriptor: int, protection: int) -> ctypes.Array[ctypes.c_char]:
    """Map the page; `mmap` would keep a further descriptor of it open."""
    map_memory = ctypes.CDLL(None, use_errno=True).mmap
    map_memory.restype = ctypes.c_void_p
    map_memory.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
    address = map_memory(None, _SIZE, protection, mmap.MAP_SHARED, descriptor, 0)
    if address == _MAP_FAILED:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return (ctypes.c_char * _SIZE).from_address(address)


DEADLINE = LeaseDeadline()


def set_deadline(boottime_seconds: float) -> None:
    """Allow programs to run until that second of CLOCK_BOOTTIME, and no longer."""
    DEADLINE.set(boottime_seconds)


def clear_deadline() -> None:
    """Allow programs to run for any time."""
    DEADLINE.set(NEVER)


def wake_up(pids: Iterable[int]) -> None:
    """Have supervisors read the deadline again; those that don't wait yet are going to read it anyway."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCHLD)
