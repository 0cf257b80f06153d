"""The ends of this process's children, as they come."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator


def signalled() -> int:
    """Return a descriptor that becomes readable whenever a child has ended."""
    readable, writable = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return readable


def reaped() -> Iterator[tuple[int, int]]:
    """Take leave of every child that has ended: its id and its status as the shell counts."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        code = os.waitstatus_to_exitcode(status)
        yield pid, 128 - code if code < 0 else code


def are_left() -> bool:
    """Tell whether there is any child, once those that have ended are taken leave of."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True
