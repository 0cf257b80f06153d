"""Files that are whole at any moment: the old version or the new one, also after `kill -9`."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stringd.errors import Fault

_TEMPORARY = ".stringd-tmp"


def write_atomically(path: Path, data: bytes, *, mode: int) -> None:
    """Replace a file in one step and wait until the disk has it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_TEMPORARY}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_directory(path.parent)


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


def _remove_leftovers(path: Path) -> None:
    for leftover in path.glob(f".*{_TEMPORARY}"):
        leftover.unlink(missing_ok=True)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
