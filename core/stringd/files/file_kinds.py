"""Distinguish regular files from pipes, sockets, devices and links before they are opened."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link",
}


class NotRegular(OSError):
    """The path is not a regular file; the message names what it is."""

    def __init__(self, mode: int) -> None:
        super().__init__(None, f"it is {_KINDS.get(stat.S_IFMT(mode), 'something else')}, not a file")
        self.mode = mode


def require_regular(status: os.stat_result) -> None:
    """Raise `NotRegular` unless the status is that of a regular file."""
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular(status.st_mode)


def require_file(path: Path) -> None:
    """Raise `NotRegular` if a path leads to something that exists and is not a regular file."""
    real = Path(os.path.realpath(path))
    try:
        require_regular(real.lstat())
    except FileNotFoundError:
        return
