"""The descendants of a supervisor, orphans included: their exits, and the end of all of them."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
from collections.abc import Iterator

from stringd.processes.deadline_timer import DeadlineTimer
from stringd.processes.lease_deadline import DEADLINE, EXPIRED
from stringd.processes.proc import descendants
from stringd.processes.tree import (
    HANG_UP_SECONDS,
    adopt_orphans,
    die_with_parent,
    end_descendants,
    open_exit_notifier,
    reap_children,
)

TERMINATION_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What supervisors ignore: terminals and init systems send these to all processes of the daemon."""
_RESET = (*TERMINATION_SIGNALS, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)
_MOST_NOTICES = 4096


class Family:
    """The processes that this process has started, and all that these have; selectable for exits.

    It adopts orphans, so that no descendant leaves the family, whatever group or session it moves to.
    """

    def __init__(self) -> None:
        adopt_orphans()
        self._notifier = open_exit_notifier()

    def fileno(self) -> int:
        """Return a descriptor that becomes readable whenever a child exits."""
        return self._notifier

    def reap(self) -> Iterator[tuple[int, int]]:
        """Reap exited children; yield (pid, exit code), which is -N for signal N."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._notifier, _MOST_NOTICES)
        return reap_children()

    def refusal(self) -> str:
        """Return why no member may be started; nothing if one may."""
        return EXPIRED if DEADLINE.has_passed() else ""

    def deadline_timer(self, selector: selectors.BaseSelector) -> DeadlineTimer:
        """Return what has a selector wake up when all members must have ended."""
        return DeadlineTimer(selector)

    def seconds_left(self) -> float:
        """Return how long members may still run; infinity if there is no deadline for programs."""
        return DEADLINE.left()

    def members(self) -> list[int]:
        """Return the ids of all processes of the family."""
        return list(descendants(os.getpid()))

    def end(self) -> None:
        """Give all members a moment to exit, before the deadline for programs, then kill them."""
        end_descendants(min(HANG_UP_SECONDS, self.seconds_left()))

    def kill(self) -> None:
        """Kill all members at once; return when there are none."""
        end_descendants(patience=0)


def prepare_child() -> None:
    """Undo in a child what supervisors do to themselves; have it killed with its supervisor."""
    die_with_parent()
    for number in _RESET:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
