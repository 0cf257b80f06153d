"""Open and read regular files only, without blocking on pipes, sockets and devices."""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from stringd.files.open_directory import Directory, open_folder
from stringd.files.protected import refuse_file

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


T = TypeVar("T")

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | getattr(os, "O_NOCTTY", 0)
_CHUNK = 1024 * 1024


class Content(Struct, frozen=True, kw_only=True):
    """The content of a file, or its beginning if it exceeds the limit, and its size."""

    data: bytes
    size: int


def _opened(folder: Directory, name: str) -> tuple[int, os.stat_result]:
    # Opening a device can have side effects, so check the type before opening, and again afterwards.
    require_regular(os.stat(name, dir_fd=folder.descriptor, follow_symlinks=False))
    descriptor = folder.open(name, _READ)
    try:
        status = os.fstat(descriptor)
        require_regular(status)
        if not folder.own:
            refuse_file(status, name)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status


class _NonBlocking(io.FileIO):
    """A file that raises instead of blocking: some regular files, as in /proc, have no data yet."""

    def read(self, size: int | None = -1, /) -> bytes:
        data: bytes | None = super().read(-1 if size is None else size)
        return _ready(data)

    # Any writable buffer, for which Python 3.11 has no type.
    def readinto(self, buffer: Any, /) -> int:
        count: int | None = super().readinto(buffer)
        return _ready(count)


def _ready(read: T | None) -> T:
    if read is None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return read


def open_file(path: Path) -> io.FileIO:
    """Open the regular file at a real path to read it, or raise `OSError`, or refuse."""
    with open_folder(path.parent) as folder:
        return _NonBlocking(_opened(folder, path.name)[0])


def read_regular(folder: Directory, name: str, most: int) -> Content:
    """Read a regular file, at most one byte more than `most`; or raise `OSError`, or refuse."""
    descriptor, status = _opened(folder, name)
    try:
        data = _read(descriptor, status.st_size, most)
    finally:
        os.close(descriptor)
    return Content(data=data, size=max(status.st_size, len(data)))


def _read(descriptor: int, size: int, most: int) -> bytes:
    """Read to the end or to the limit; the size of some files is reported as 0."""
    chunks: list[bytes] = []
    room = most + 1
    # Ask for one byte more than the size, so that one read detects the end of the file.
    while room and (chunk := os.read(descriptor, min(room, max(size + 1, _CHUNK) if chunks else size + 1))):
        chunks.append(chunk)
        room -= len(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)
