"""Open paths without following symbolic links in any component, so that swapped-in links lead nowhere.

Linux does this in one call, `openat2`; elsewhere, each directory is opened relative to its parent.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

# O_PATH opens a directory without the permission to list it.
LOOK = getattr(os, "O_PATH", os.O_RDONLY) | os.O_CLOEXEC
_FOLDER = LOOK | os.O_DIRECTORY | os.O_NOFOLLOW
# The number is the same on all architectures except Alpha.
_OPENAT2 = 437
_HERE = -100
_NO_MAGIC_LINKS, _NO_LINKS, _BENEATH = 0x02, 0x04, 0x08
# The errors of kernels and sandboxes that do not know the call.
_UNKNOWN = frozenset({errno.ENOSYS, errno.EPERM, errno.EINVAL})


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_nofollow(path: str, flags: int, mode: int = 0, *, folder: int | None = None) -> int:
    """Open an absolute path or, below an open directory, a relative one, and return the descriptor.

    A link on the way, or in the place of the file, raises `OSError` with ELOOP.
    """
    parts = path.split("/")
    if ".." in parts or (folder is None) != path.startswith("/"):
        raise OSError(errno.EINVAL, "not a real path", path)
    if folder is not None and len(parts) == 1:
        return _open_at(path, flags, mode, folder)
    call = _system_call()
    return call(path, flags, mode, folder) if call else walk(path, flags, mode, folder=folder)


def walk(path: str, flags: int, mode: int = 0, *, folder: int | None = None) -> int:
    """Do what `open_nofollow` does, one path component at a time."""
    *folders, name = path.strip("/").split("/")
    here = os.open("/", _FOLDER) if folder is None else os.dup(folder)
    try:
        for part in folders:
            outer, here = here, _open_at(part, _FOLDER, 0, here)
            os.close(outer)
        return _open_at(name or ".", flags, mode, here)
    finally:
        os.close(here)


def _open_at(name: str, flags: int, mode: int, folder: int) -> int:
    try:
        descriptor = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder)
    except NotADirectoryError:
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise _is_link(name) from None
        raise
    # With O_PATH, O_NOFOLLOW opens the link itself.
    if (flags | os.O_CLOEXEC) & LOOK == LOOK and stat.S_ISLNK(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _is_link(name)
    return descriptor


def _is_link(name: str) -> OSError:
    return OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)


@cache
def _how(flags: int, mode: int, resolve: int) -> Any:
    # The kernel only reads the structure, so it can be shared.
    return ctypes.byref(_How(flags | os.O_CLOEXEC, mode if flags & os.O_CREAT else 0, resolve))


@cache
def _system_call() -> Callable[[str, int, int, int | None], int] | None:
    """Return a wrapper of `openat2`; None if the system has none."""
    if sys.platform != "linux":
        return None
    system_call = ctypes.CDLL(None, use_errno=True).syscall
    system_call.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
    system_call.restype = ctypes.c_long
    size = ctypes.sizeof(_How)

    def call(path: str, flags: int, mode: int, folder: int | None) -> int:
        resolve = _NO_LINKS | _NO_MAGIC_LINKS | (0 if folder is None else _BENEATH)
        how, where, name = _how(flags, mode, resolve), _HERE if folder is None else folder, os.fsencode(path)
        while (descriptor := system_call(_OPENAT2, where, name, how, size)) < 0:
            number = ctypes.get_errno()
            if number not in {errno.EINTR, errno.EAGAIN}:
                raise OSError(number, os.strerror(number), path)
        return int(descriptor)

    try:
        os.close(call("/", LOOK | os.O_DIRECTORY, 0, None))
    except OSError as error:
        if error.errno in _UNKNOWN:
            return None
        raise
    return call
