"""Atomic writes: a reader sees the old version or the new one, even after `kill -9`."""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from operator import attrgetter
from typing import BinaryIO

from stringd.files.nofollow import LOOK
from stringd.files.open_directory import Directory
from stringd.files.regular_files import require_regular

log = logging.getLogger(__name__)

stamp: Callable[[os.stat_result], tuple[int, ...]] = attrgetter(
    "st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns"
)
"""Return what changes whenever a file does."""
_TEMPORARY = ".stringd-tmp"
_FREEING = ThreadPoolExecutor(1, "stringd-freeing")
_LONG = 64 * 1024
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_LOOK_AGAIN = os.O_RDWR | os.O_NONBLOCK


def write_atomically(
    folder: Directory,
    name: str,
    data: bytes,
    *,
    mode: int,
    like: os.stat_result | None = None,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Replace a file atomically by one with this content; see `replacement`."""
    with replacement(folder, name, mode=mode, like=like, check=check) as file:
        file.write(data)


@contextmanager
def replacement(
    folder: Directory,
    name: str,
    *,
    mode: int,
    like: os.stat_result | None = None,
    check: Callable[[], None] = lambda: None,
    is_synced: bool = False,
) -> Iterator[BinaryIO]:
    """Yield a new file, which replaces the one of a name atomically at the end of the block.

    It is synced to disk then, unless the block did that (`is_synced`), and leftovers of killed writers are
    removed. If the block raises, nothing is replaced.

    `mode` is subject to the umask; with `like`, the new file gets the permissions of that one, and its owner
    and group where the system permits. `check` is called right before the replacement, and may raise.
    """
    with _freed_later(folder, name) if like and like.st_size > _LONG else nullcontext():
        descriptor, temporary = _open_temporary(folder, mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                if like:
                    _copy_owner_and_mode(descriptor, like)
                yield file
                if not is_synced:
                    file.flush()
                    os.fsync(descriptor)
                check()
                folder.rename(temporary, folder, name)
        except BaseException:
            with suppress(FileNotFoundError):
                folder.remove(temporary)
            raise
        _sync(folder)
        remove_leftovers(folder)


@contextmanager
def _freed_later(folder: Directory, name: str) -> Iterator[None]:
    """Have the blocks of a file that is replaced freed in another thread, as that may take long."""
    try:
        descriptor = folder.open(name, LOOK | os.O_NONBLOCK)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        _FREEING.submit(os.close, descriptor)


def remove_leftovers(folder: Directory) -> None:
    """Remove temporary files that killed writers left behind."""
    with suppress(OSError), folder.entries() as entries:
        for name in [entry.name for entry in entries if entry.name.endswith(_TEMPORARY)]:
            with suppress(OSError):
                _remove_if_abandoned(folder, name)


def _open_temporary(folder: Directory, mode: int) -> tuple[int, str]:
    """Create a hidden file that stays locked as long as its writer lives."""
    while True:
        temporary = f".{secrets.token_hex(8)}{_TEMPORARY}"
        descriptor = folder.open(temporary, _CREATE, mode)
        try:
            # Another writer may have removed the file as a leftover before it was locked.
            if _is_unlocked(descriptor) and os.fstat(descriptor).st_nlink:
                return descriptor, temporary
        except OSError:
            os.close(descriptor)
            folder.remove(temporary)
            raise
        os.close(descriptor)


def _copy_owner_and_mode(descriptor: int, like: os.stat_result) -> None:
    own = os.fstat(descriptor)
    if own.st_gid != like.st_gid:
        with suppress(OSError):
            os.fchown(descriptor, -1, like.st_gid)
    if own.st_uid != like.st_uid:
        with suppress(OSError):
            os.fchown(descriptor, like.st_uid, -1)
    # Drop the set-user-id and set-group-id bits, as the kernel does on a write by another user than root.
    os.fchmod(descriptor, like.st_mode & 0o777)


def _remove_if_abandoned(folder: Directory, leftover: str) -> None:
    require_regular(os.stat(leftover, dir_fd=folder.descriptor, follow_symlinks=False))
    descriptor = folder.open(leftover, _LOOK_AGAIN)
    try:
        if _is_unlocked(descriptor):
            folder.remove(leftover)
    finally:
        os.close(descriptor)


def _is_unlocked(descriptor: int) -> bool:
    """Try to take the lock; false if another process holds it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sync(folder: Directory) -> None:
    """Sync the directory; log a failure, since the file is in place nonetheless."""
    try:
        folder.sync()
    except OSError as error:
        log.warning(
            "a file in %s was written, but could not be synced to disk: %s", folder.path, error.strerror
        )
