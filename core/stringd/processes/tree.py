"""A process and its descendants: adopt orphans, reap children, and end all of them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection, Iterator

from stringd.processes.proc import descendants, unshared_memory

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
HANG_UP_SECONDS = 0.2
_END_SECONDS = 5.0
_PAUSE_SECONDS = 0.005
_KILLED_SECONDS = 0.02


def adopt_orphans() -> None:
    """Become the parent of every orphaned descendant (Linux; no effect elsewhere)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends (Linux; no effect elsewhere)."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def forbid_memory_access() -> None:
    """Keep other processes of the same user from reading this one's memory and descriptors (Linux only).

    Neither a debugger nor /proc gets at them, and there are no core dumps. A child that executes a program
    is accessible again.
    """
    _prctl(_PR_SET_DUMPABLE, 0)


def end_descendants(patience: float = HANG_UP_SECONDS) -> None:
    """Give all descendants of this process a moment to exit, then kill them; return when there are none."""
    if _have_exited_within(patience):
        return
    if not patience and _kill_once():
        return
    deadline = time.monotonic() + _END_SECONDS
    while time.monotonic() < deadline:
        _signal_all(_stop_descendants(), signal.SIGKILL)
        if _have_exited_within(_PAUSE_SECONDS):
            return


def _kill_once() -> bool:
    """Kill all descendants; return whether none has started others meanwhile."""
    _signal_all(list(descendants(os.getpid())), signal.SIGKILL)
    # Other supervisors, which may all have the same deadline, need the processors more.
    time.sleep(_KILLED_SECONDS)
    return _have_all_exited()


def end_orphans(excluded: Collection[int]) -> None:
    """Kill all descendants of this process except some children and their descendants."""
    deadline = time.monotonic() + _END_SECONDS
    while (orphans := _stop_descendants(excluded)) and time.monotonic() < deadline:
        _signal_all(orphans, signal.SIGKILL)
        time.sleep(_PAUSE_SECONDS)
        for pid in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def kill_tree(root: int) -> None:
    """Kill a process and all its descendants, also those in sessions of their own."""
    stopped: set[int] = set()
    while found := {root, *descendants(root)} - stopped:
        _signal_all(found, signal.SIGSTOP)
        stopped |= found
    _signal_all(stopped, signal.SIGKILL)


def limit_memory(most: int) -> None:
    """Kill the largest descendants of this process until the others are within the memory limit."""
    held = {pid: unshared_memory(pid) for pid in descendants(os.getpid())}
    while sum(held.values()) > most:
        largest = max(held, key=held.__getitem__)
        del held[largest]
        _signal(largest, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _have_exited_within(seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not _have_all_exited():
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True


def _stop_descendants(excluded: Collection[int] = ()) -> set[int]:
    """Stop all descendants before any is killed: a running one could fork faster than it is found."""
    stopped: set[int] = set()
    while found := set(descendants(os.getpid(), excluded)) - stopped:
        _signal_all(found, signal.SIGSTOP)
        stopped |= found
    return stopped


def _signal_all(pids: Collection[int], number: signal.Signals) -> None:
    for pid in pids:
        _signal(pid, number)


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def open_exit_notifier() -> int:
    """Return a descriptor that becomes readable whenever a child exits or is stopped."""
    readable, writable = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return readable


def reap_children() -> Iterator[tuple[int, int]]:
    """Reap exited children; yield (pid, exit code), which is -N for signal N."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        yield pid, os.waitstatus_to_exitcode(status)


def kill_stopped_children() -> None:
    """Kill children that another process has stopped (Linux; no effect elsewhere)."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(ChildProcessError):
        while stopped := os.waitid(os.P_ALL, 0, os.WSTOPPED | os.WNOHANG):
            _signal(stopped.si_pid, signal.SIGKILL)


def shell_status(code: int) -> int:
    """Return an exit code as a shell counts it: 128 + N for signal N."""
    return 128 - code if code < 0 else code


def _have_all_exited() -> bool:
    """Reap exited children and return whether none is left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False
