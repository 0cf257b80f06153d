"""Files that are whole at any moment: the old version or the new one, also after `kill -9`."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import IO

from stringd.errors import Fault


def write_atomically(path: Path, data: bytes, *, mode: int) -> None:
    """Replace a file in one step and wait until the disk has it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
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


def open_data_directory(path: Path) -> IO[str]:
    """Create the data directory and lock it; the lock holds until the returned file is closed."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = (path / "lock").open("a+", encoding="utf-8")
    except OSError as error:
        raise Fault(f"cannot use data directory {path}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.seek(0)
        holder = lock.read().strip() or "another process"
        lock.close()
        raise Fault(f"data directory {path} is in use by {holder}") from error
    lock.truncate(0)
    lock.write(f"stringd, process {os.getpid()}")
    lock.flush()
    return lock


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
