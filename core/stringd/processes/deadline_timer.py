"""Wake up a selector at the deadline for programs."""

from __future__ import annotations

import ctypes
import os
import selectors
import time
from typing import Self

from stringd.processes.lease_deadline import DEADLINE, NEVER

_NANOSECONDS = 1_000_000_000
_LATEST = float(2**32)
_FLAGS = os.O_NONBLOCK | os.O_CLOEXEC
_ABSOLUTE = 1


class DeadlineTimer:
    """Has a selector wake up when no program may run any more; does nothing while there is no deadline.

    Unlike the timeout of a selector, it counts the time for which the machine is suspended.
    """

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        self._timer: int | None = None
        self._expected = NEVER

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._selector.unregister(self._timer)
            os.close(self._timer)
            self._timer = None

    def has_passed(self) -> bool:
        """Return whether the deadline has passed; expect it if not. To be called before each `select`."""
        if DEADLINE.seconds != self._expected:
            self._expect(DEADLINE.seconds)
        return DEADLINE.has_passed()

    def _expect(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = _new_timer()
            self._selector.register(self._timer, selectors.EVENT_READ)
        # Setting it also makes an expired one unreadable; zero disarms it.
        _set_timer(self._timer, 0 if seconds == NEVER else int(min(seconds, _LATEST) * _NANOSECONDS))
        self._expected = seconds


class _TimerSetting(ctypes.Structure):
    """`struct itimerspec`: an interval and the first expiry, each in seconds and nanoseconds."""

    _fields_ = (("interval", ctypes.c_long * 2), ("expiry", ctypes.c_long * 2))


def _new_timer() -> int:
    timer: int = ctypes.CDLL(None, use_errno=True).timerfd_create(time.CLOCK_BOOTTIME, _FLAGS)
    return _checked(timer)


def _set_timer(timer: int, nanoseconds: int) -> None:
    setting = _TimerSetting((0, 0), divmod(nanoseconds, _NANOSECONDS))
    set_time = ctypes.CDLL(None, use_errno=True).timerfd_settime
    _checked(set_time(timer, _ABSOLUTE, ctypes.byref(setting), None))


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
