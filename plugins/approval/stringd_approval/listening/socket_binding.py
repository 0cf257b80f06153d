"""Bind the socket at its path: private, never over a living one, and removed at the end."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stringd.plugin import Fault

_PRIVATE = 0o600
_PRIVATE_FOLDER = 0o700
_OTHERS_MAY_WRITE = 0o022
_UMASK = 0o077
# `sun_path` ends with a NUL. Longer paths are bound and reached through the descriptor of their directory.
_LONGEST_PATH = 107
_LONGEST_NAME = _LONGEST_PATH - len("/proc/self/fd/1234567/")
_BACKLOG = 128
_PROBE_SECONDS = 1.0


@contextmanager
def listening_socket(path: Path, *, is_own_folder: bool) -> Iterator[socket.socket]:
    """Listen at a path within the context; raise `Fault` if something else is there.

    The folder is created if it is missing. One of its own, which nobody else uses, is made private.
    """
    if len(os.fsencode(path.name)) > _LONGEST_NAME:
        raise Fault(f"cannot listen on {path}: its name is longer than {_LONGEST_NAME} bytes")
    try:
        folder = _open_folder(path.parent, is_own=is_own_folder)
    except OSError as error:
        raise Fault(f"cannot use {path.parent} for the socket: {error.strerror}") from error
    try:
        with _bound(path, folder) as listener:
            identity = _identity(path.name, folder)
            try:
                yield listener
            finally:
                if _identity(path.name, folder) == identity:
                    os.unlink(path.name, dir_fd=folder)
    finally:
        os.close(folder)


@contextmanager
def _bound(path: Path, folder: int) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.setblocking(False)
        try:
            with _alone(folder):
                _make_way(path, folder)
                _bind(listener, path, folder)
        except OSError as error:
            raise Fault(f"cannot listen on {path}: {error.strerror or error}") from error
        yield listener


def _bind(listener: socket.socket, path: Path, folder: int) -> None:
    before = os.umask(_UMASK)
    try:
        listener.bind(_address(path, folder))
    finally:
        os.umask(before)
    os.chmod(path.name, _PRIVATE, dir_fd=folder)
    listener.listen(_BACKLOG)


def _open_folder(folder: Path, *, is_own: bool) -> int:
    folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _check_folder(descriptor, folder, is_own=is_own)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check_folder(descriptor: int, folder: Path, *, is_own: bool) -> None:
    status = os.fstat(descriptor)
    if is_own and status.st_uid == os.geteuid():
        os.fchmod(descriptor, _PRIVATE_FOLDER)
    elif status.st_uid not in {0, os.geteuid()}:
        raise Fault(f"cannot use {folder} for the socket: it belongs to another user")
    elif status.st_mode & _OTHERS_MAY_WRITE and not status.st_mode & stat.S_ISVTX:
        raise Fault(f"cannot use {folder} for the socket: others may write to it; use a folder of your own")


@contextmanager
def _alone(folder: int) -> Iterator[None]:
    """Keep other daemons from replacing the same dead socket at the same time.

    The lock of a data directory is this daemon's own already.
    """
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield
        return
    try:
        yield
    finally:
        fcntl.flock(folder, fcntl.LOCK_UN)


def _make_way(path: Path, folder: int) -> None:
    """Remove a socket that nobody listens on; raise `Fault` for anything else in the way."""
    try:
        status = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode):
        raise Fault(f"cannot listen on {path}: it exists and is not a socket; move it away")
    if _is_live(path, folder):
        raise Fault(f"already running: another stringd listens on {path}; stop it, or use --approval-socket")
    os.unlink(path.name, dir_fd=folder)


def _is_live(path: Path, folder: int) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_PROBE_SECONDS)
        try:
            probe.connect(_address(path, folder))
        except OSError as error:
            # Any other error, such as that of a full backlog, comes from a living socket.
            return error.errno not in {errno.ECONNREFUSED, errno.ENOENT}
    return True


def _address(path: Path, folder: int) -> str:
    text = str(path)
    return text if len(os.fsencode(text)) <= _LONGEST_PATH else f"/proc/self/fd/{folder}/{path.name}"


def _identity(name: str, folder: int) -> tuple[int, int] | None:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
