"""A thread that logs what blocks the event loop."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Self

log = logging.getLogger(__name__)

HOLD_SECONDS = 0.5
_PAUSE_SECONDS = 0.25
_LEAST_SHARE = 0.02
_GRACE_SECONDS = 0.1
_END_SECONDS = 1.0


class Watchdog:
    """Schedules a callback on the loop four times a second, and logs the loop's stack if it does not run."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._watched = threading.get_ident()
        self._computed = _cpu_clock(self._watched)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def __enter__(self) -> Self:
        """Start watching the loop of this thread."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop watching."""
        self._ending.set()
        self._thread.join(_END_SECONDS)

    def _watch(self) -> None:
        while True:
            before, used, computed = time.monotonic(), time.process_time(), self._computed()
            if self._ending.wait(_PAUSE_SECONDS):
                # The loop waits for this thread now, so it would answer nothing.
                return
            late = time.monotonic() - before - _PAUSE_SECONDS
            # Code that holds the GIL blocks this thread too. A process that was stopped or not scheduled has
            # used no CPU time.
            if late > HOLD_SECONDS and time.process_time() - used > late * _LEAST_SHARE:
                self._report()
                self._report_end(late, computed)
            else:
                self._ask()

    def _ask(self) -> None:
        asked, computed, answered = time.monotonic(), self._computed(), threading.Event()
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(answered.set)
            # A process that was stopped meanwhile answers as soon as it continues.
            in_time = answered.wait(HOLD_SECONDS) or answered.wait(_GRACE_SECONDS)
            if not in_time and not self._ending.is_set():
                self._report()
                while not answered.wait(_PAUSE_SECONDS) and not self._ending.is_set():
                    pass
                self._report_end(time.monotonic() - asked, computed)

    def _report(self) -> None:
        frame = sys._current_frames().get(self._watched)
        stack = "".join(traceback.format_stack(frame)) if frame else "  (no stack)"
        log.warning("the event loop is held for over %s s by:\n%s", HOLD_SECONDS, stack)

    def _report_end(self, seconds: float, computed_before: float) -> None:
        # On an overloaded machine the wall time is long and the CPU time is not.
        computed = self._computed() - computed_before
        log.warning("the event loop was held for %.1f s, computing for %.1f s of them", seconds, computed)


def _cpu_clock(thread: int) -> Callable[[], float]:
    """Return a clock of the thread's CPU time, or of the process's where that is unavailable."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    return partial(time.clock_gettime, time.pthread_getcpuclockid(thread))
