"""Find the processes that keep a pipe open for writing, by what /proc says of their descriptors.

Supervisors import this module: it must not import `stringd.plugin`, and so can't use its functions for /proc.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator
from stat import S_IWUSR


def pipe_name(descriptor: int) -> str:
    """Return the name of a pipe that this process has open, as /proc shows it."""
    return f"pipe:[{os.fstat(descriptor).st_ino}]"


def holders(pipes: Collection[str], pids: Iterable[int]) -> Iterator[int]:
    """Return those processes that may write to one of the pipes; never those that may not be looked into."""
    for pid in pids:
        with contextlib.suppress(OSError):
            if any(_is_writable(entry) and _target(entry) in pipes for entry in _descriptors(pid)):
                yield pid


def _descriptors(pid: int) -> list[os.DirEntry[str]]:
    with os.scandir(f"/proc/{pid}/fd") as entries:
        return list(entries)


def _is_writable(entry: os.DirEntry[str]) -> bool:
    return bool(entry.stat(follow_symlinks=False).st_mode & S_IWUSR)


def _target(entry: os.DirEntry[str]) -> str:
    return os.readlink(entry.path)  # noqa: PTH115 - supervisors import no pathlib
