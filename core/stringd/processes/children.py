"""Reap the children of this process."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator


def open_exit_notifier() -> int:
    """Return a descriptor that becomes readable whenever a child exits."""
    readable, writable = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return readable


def reap_children() -> Iterator[tuple[int, int]]:
    """Reap exited children; yield (pid, exit status as a shell counts it)."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        code = os.waitstatus_to_exitcode(status)
        yield pid, 128 - code if code < 0 else code


def have_all_exited() -> bool:
    """Reap exited children and return whether none is left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False
