"""A process and all that descends from it: adopted when orphaned, ended to the last."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from stringd.processes.children import are_left

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_HANG_UP_SECONDS = 0.2
_END_SECONDS = 5.0
_PAUSE_SECONDS = 0.005
_PROC = Path("/proc")
_LISTS_CHILDREN = (_PROC / f"self/task/{os.getpid()}/children").exists()


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, where the system knows how (Linux)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Be killed when the parent ends, where the system knows how (Linux)."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def descendants() -> frozenset[int]:
    """Return the ids of all that descends from this process."""
    return frozenset(_descendants(os.getpid(), ()))


def end_descendants() -> None:
    """Return when this process has no descendant any more: they have a moment to leave, then are killed."""
    if _are_gone_within(_HANG_UP_SECONDS):
        return
    deadline = time.monotonic() + _END_SECONDS
    while time.monotonic() < deadline:
        _kill(_frozen_descendants())
        if _are_gone_within(_PAUSE_SECONDS):
            return


def end_strays(kept: Collection[int]) -> None:
    """End every descendant of this process but some children and what descends from them."""
    deadline = time.monotonic() + _END_SECONDS
    while (strays := _frozen_descendants(kept)) and time.monotonic() < deadline:
        _kill(strays)
        time.sleep(_PAUSE_SECONDS)
        for pid in strays:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _are_gone_within(seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while are_left():
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True


def _frozen_descendants(kept: Collection[int] = ()) -> set[int]:
    """Stop before killing: what runs could fork faster than it is found."""
    frozen: set[int] = set()
    while fresh := set(_descendants(os.getpid(), kept)) - frozen:
        for pid in fresh:
            _signal(pid, signal.SIGSTOP)
        frozen |= fresh
    return frozen


def _kill(pids: set[int]) -> None:
    for pid in pids:
        _signal(pid, signal.SIGKILL)


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _descendants(ancestor: int, kept: Collection[int]) -> Iterator[int]:
    children_of = _listed_children if _LISTS_CHILDREN else _children_by_parent().__getitem__
    found = [ancestor]
    for pid in found:
        found += [child for child in children_of(pid) if child not in kept]
        if pid != ancestor:
            yield pid


def _listed_children(pid: int) -> list[int]:
    """Ask the kernel, which many kernels answer: a hundred supervisors may ask at once."""
    children: list[int] = []
    with contextlib.suppress(OSError):
        for task in (_PROC / str(pid) / "task").iterdir():
            children += map(int, (task / "children").read_bytes().split())
    return children


def _children_by_parent() -> Mapping[int, list[int]]:
    """Look at every process there is."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for entry in _PROC.iterdir() if _PROC.is_dir() else ():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                # The name of the program stands in brackets and may itself hold any.
                fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
                children[int(fields[1])].append(int(entry.name))
    return children
