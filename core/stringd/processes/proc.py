"""Read Linux's /proc: processes, their family, memory and current system calls.

Functions about one process raise `OSError` when it has ended or may not be looked into, unless they say
otherwise. The supervisors of shells import this module, so it imports little.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")
_LISTS_CHILDREN = (_PROC / f"self/task/{os.getpid()}/children").exists()
# File mappings are left out: several processes may share one.
_UNSHARED_MEMORY = re.compile(rb"^(?:RssAnon|RssShmem):\s+(\d+) kB", re.MULTILINE)
_KIB = 1024
# The place of its start among the fields of a process, from its state on.
_STARTED = 19


class Process(NamedTuple):
    """A process, its state as the kernel's letter, and what it belongs to."""

    pid: int
    state: str
    parent: int
    group: int
    session: int
    started: int
    """When it was started, in ticks of the kernel's clock: no later process with its id has the same."""


def process_ids() -> Iterator[int]:
    """Return the ids of all processes; none where there is no /proc."""
    for entry in _PROC.iterdir() if _PROC.is_dir() else ():
        if entry.name.isdigit():
            yield int(entry.name)


def processes() -> Iterator[Process]:
    """Return all processes that can be inspected."""
    for pid in process_ids():
        with contextlib.suppress(OSError):
            yield read_process(pid)


def read_process(pid: int) -> Process:
    """Return one process."""
    fields = _stat_fields(pid, _STARTED + 1)
    parent, group, session = map(int, fields[1:4])
    return Process(
        pid=pid,
        state=fields[0].decode(),
        parent=parent,
        group=group,
        session=session,
        started=int(fields[_STARTED]),
    )


def descendants(ancestor: int, excluded: Collection[int] = ()) -> Iterator[int]:
    """Return the ids of all descendants of a process, without the excluded children and their descendants."""
    children_of = _listed_children if _LISTS_CHILDREN else _children_by_parent().__getitem__
    found = [ancestor]
    for pid in found:
        found += [child for child in children_of(pid) if child not in excluded]
        if pid != ancestor:
            yield pid


def command_line(pid: int) -> bytes:
    """Return the arguments of a process, each terminated by a NUL byte."""
    return (_PROC / str(pid) / "cmdline").read_bytes()


def age(pid: int) -> float:
    """Return for how many seconds a process has existed."""
    started = read_process(pid).started / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started


def working_directory(pid: int) -> Path:
    """Return the symbolic link to the working directory of a process."""
    return _PROC / str(pid) / "cwd"


def unshared_memory(pid: int) -> int:
    """Return how many bytes of memory a process does not share with others; 0 if that is unknown."""
    try:
        status = (_PROC / str(pid) / "status").read_bytes()
    except OSError:
        return 0
    return sum(map(int, _UNSHARED_MEMORY.findall(status))) * _KIB


def resident_memory(pid: int) -> int:
    """Return how many bytes of memory a process holds; 0 if that is unknown."""
    try:
        return int((_PROC / str(pid) / "statm").read_bytes().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def thread_ids(pid: int) -> list[int]:
    """Return the ids of the threads of a process; none if it has ended."""
    with contextlib.suppress(OSError):
        return [int(task.name) for task in (_PROC / str(pid) / "task").iterdir()]
    return []


def system_call(pid: int, thread: int) -> tuple[int, list[int]] | None:
    """Return the number and arguments of the system call that a thread is blocked in, if it is in one."""
    words = (_PROC / f"{pid}/task/{thread}/syscall").read_text(encoding="ascii").split()
    if not words or not words[0].isdigit():
        return None
    return int(words[0]), [int(word, 16) for word in words[1:7]]


def descriptor_target(pid: int, descriptor: int) -> str:
    """Return what a descriptor of a process refers to, such as a path."""
    return str((_PROC / f"{pid}/fd/{descriptor}").readlink())


def descriptor_info(pid: int, descriptor: int) -> list[str]:
    """Return the kernel's lines about a descriptor of a process."""
    return (_PROC / f"{pid}/fdinfo/{descriptor}").read_text(encoding="ascii").splitlines()


def read_memory(pid: int, address: int, size: int) -> bytes:
    """Return the bytes at an address of a process; raise `OverflowError` if there can be no such address."""
    with (_PROC / str(pid) / "mem").open("rb", buffering=0) as memory:
        memory.seek(address)
        data: bytes = memory.read(size)
        return data


def _stat_fields(pid: int, most: int = -1) -> list[bytes]:
    """Return the kernel's fields of a process, from its state on."""
    # The name of the program is in parentheses and may contain any character.
    return (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split(maxsplit=most)


def _listed_children(pid: int) -> list[int]:
    """Ask the kernel for the children if it supports that, which is cheaper than reading all of /proc."""
    children: list[int] = []
    for thread in thread_ids(pid):
        with contextlib.suppress(OSError):
            children += map(int, (_PROC / f"{pid}/task/{thread}/children").read_bytes().split())
    return children


def _children_by_parent() -> Mapping[int, list[int]]:
    children: defaultdict[int, list[int]] = defaultdict(list)
    for process in processes():
        children[process.parent].append(process.pid)
    return children
