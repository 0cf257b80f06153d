"""End work at a deadline, even in the middle of matching a regular expression."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# A signal before the block is entered counts for nothing, so that another one must follow.
_SHORTEST, _AGAIN = 1e-6, 0.05


class _DeadlineReached(BaseException):
    """The time is over; not an `Exception`, so that no handler of the interrupted code keeps it."""


@contextmanager
def ending_at(deadline: float) -> Iterator[None]:
    """Leave the block at a time of `time.monotonic`, without an error; for main threads only."""
    is_inside = False

    def leave(_signal: int, _frame: object) -> None:
        if is_inside:
            raise _DeadlineReached

    handler = signal.signal(signal.SIGALRM, leave)
    timer = signal.setitimer(signal.ITIMER_REAL, max(deadline - time.monotonic(), _SHORTEST), _AGAIN)
    try:
        with suppress(_DeadlineReached):
            is_inside = True
            yield
    finally:
        is_inside = False
        # A timer that was set around the block goes on.
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)
