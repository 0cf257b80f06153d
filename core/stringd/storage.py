"""Files that are whole at any moment: the old version or the new one, also after `kill -9`."""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stringd.errors import Fault

log = logging.getLogger(__name__)

_TEMPORARY = ".stringd-tmp"


def write_atomically(
    path: Path,
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
    descriptor, temporary = _open_temporary(path.parent, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if like:
                _resemble(descriptor, like)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
            check()
            temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_directory(path.parent)
    _remove_leftovers(path.parent)


def stamp(status: os.stat_result) -> tuple[int, ...]:
    """Return what the disk says of a file that is another one, or holds something else, once this differs."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def set_aside(path: Path) -> Path:
    """Rename a file that can't be read, so that nothing overwrites it, and return its new path."""
    kept = path.with_name(f"{path.name}.broken-{time.strftime('%Y%m%dT%H%M%S')}-{time.time_ns() % 10**9:09}")
    path.replace(kept)
    return kept


@contextmanager
def data_directory(path: Path) -> Iterator[None]:
    """Create the data directory and hold it for this process alone."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Fault(f"cannot use data directory {path}: {error.strerror}") from error
    try:
        _lock(descriptor, path)
        _remove_leftovers(path)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (path / ".writable").touch()
        (path / ".writable").unlink()
    except BlockingIOError as error:
        raise Fault(f"data directory {path} is in use by another stringd") from error
    except OSError as error:
        raise Fault(f"cannot use data directory {path}: {error.strerror}") from error


def _open_temporary(directory: Path, mode: int) -> tuple[int, Path]:
    """Create a hidden file that is locked for as long as its writer lives."""
    while True:
        temporary = directory / f".{secrets.token_hex(8)}{_TEMPORARY}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            # Before the lock was there, another writer may have taken the file for a leftover.
            if _is_unlocked(descriptor) and os.fstat(descriptor).st_nlink:
                return descriptor, temporary
        except OSError:
            os.close(descriptor)
            temporary.unlink()
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


def _remove_leftovers(directory: Path) -> None:
    with suppress(OSError), os.scandir(directory) as entries:
        leftovers = [Path(entry) for entry in entries if entry.name.endswith(_TEMPORARY)]
        for leftover in leftovers:
            with suppress(OSError):
                _remove_if_abandoned(leftover)


def _remove_if_abandoned(leftover: Path) -> None:
    descriptor = os.open(leftover, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if _is_unlocked(descriptor):
            leftover.unlink()
    finally:
        os.close(descriptor)


def _is_unlocked(descriptor: int) -> bool:
    """Take the lock, or say that someone else has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sync_directory(path: Path) -> None:
    """Let the disk have the new name, too. Where that fails, the file is there all the same: no error."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        log.warning("a file in %s is written, but may not outlive a power cut: %s", path, error.strerror)
