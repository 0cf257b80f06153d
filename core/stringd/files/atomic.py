"""Files that are whole at any moment: the old version or the new one, also after `kill -9`."""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
from collections.abc import Callable
from contextlib import suppress

from stringd.files.directories import Directory
from stringd.files.file_kinds import require_regular

log = logging.getLogger(__name__)

_TEMPORARY = ".stringd-tmp"
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
    """Replace a file in one step, wait until the disk has it, and clear away what killed writers left.

    The umask narrows the mode; one that replaces a file like this has that one's permissions, and its owner
    and group where the system lets it. `check` is called directly before, and may raise.
    """
    descriptor, temporary = _open_temporary(folder, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if like:
                _resemble(descriptor, like)
            file.write(data)
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


def stamp(status: os.stat_result) -> tuple[int, ...]:
    """Return what the disk says of a file that is another one, or holds something else, once this differs."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def remove_leftovers(folder: Directory) -> None:
    """Clear away what killed writers left."""
    with suppress(OSError), folder.entries() as entries:
        for name in [entry.name for entry in entries if entry.name.endswith(_TEMPORARY)]:
            with suppress(OSError):
                _remove_if_abandoned(folder, name)


def _open_temporary(folder: Directory, mode: int) -> tuple[int, str]:
    """Create a hidden file that is locked for as long as its writer lives."""
    while True:
        temporary = f".{secrets.token_hex(8)}{_TEMPORARY}"
        descriptor = folder.open(temporary, _CREATE, mode)
        try:
            # Before the lock was there, another writer may have taken the file for a leftover.
            if _is_unlocked(descriptor) and os.fstat(descriptor).st_nlink:
                return descriptor, temporary
        except OSError:
            os.close(descriptor)
            folder.remove(temporary)
            raise
        os.close(descriptor)


def _resemble(descriptor: int, like: os.stat_result) -> None:
    own = os.fstat(descriptor)
    if own.st_gid != like.st_gid:
        with suppress(OSError):
            os.fchown(descriptor, -1, like.st_gid)
    if own.st_uid != like.st_uid:
        with suppress(OSError):
            os.fchown(descriptor, like.st_uid, -1)
    # As with every write by someone else than root, set-user-id and set-group-id bits go.
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
    """Take the lock, or say that someone else has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sync(folder: Directory) -> None:
    """Let the disk have the new name, too. Where that fails, the file is there all the same: no error."""
    try:
        folder.sync()
    except OSError as error:
        log.warning(
            "a file in %s was written, but could not be synced to disk: %s", folder.path, error.strerror
        )
