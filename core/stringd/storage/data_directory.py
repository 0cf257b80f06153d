"""The data directory: locked by one daemon, with private files that are checked before they are opened."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stringd.errors import DataDirectoryInUse, Fault
from stringd.files.atomic import remove_leftovers, write_atomically
from stringd.files.open_directory import Directory, open_folder
from stringd.files.protected import protected
from stringd.files.regular_files import NotRegular, read_regular, require_regular

LARGEST = 100 * 1024 * 1024
PRIVATE = 0o600
_PRIVATE_FOLDER = 0o700
_OTHERS = 0o077
# SQLite's additional files and files that were set aside begin with these names.
_STATE = ("users.json", "secrets.json", "sessions.db", "undo.db", "outputs.db")


class StateFile:
    """A file of the data directory, or the target of a link there."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> bytes:
        """Return the content, or raise `OSError`."""
        real = self._real()
        with open_folder(real.parent, own=True) as folder:
            content = read_regular(folder, real.name, LARGEST)
        if content.size > LARGEST:
            raise OSError(None, f"it is larger than {LARGEST // 1024**2} MiB")
        return content.data

    def write(self, data: bytes) -> None:
        """Replace the content atomically, or raise `OSError`, such as for anything but a regular file."""
        real = self._real()
        with open_folder(real.parent, own=True) as folder:

            def require_replaceable() -> None:
                if status := folder.status(real.name):
                    require_regular(status)

            write_atomically(folder, real.name, data, mode=PRIVATE, check=require_replaceable)

    def _real(self) -> Path:
        return Path(os.path.realpath(self.path))


def set_aside(path: Path) -> Path:
    """Rename a broken file, so that nothing overwrites it, and return its new path.

    A link is renamed itself. Anything but a regular file or link was not created by the daemon: a `Fault`.
    """
    status = path.lstat()
    if not stat.S_ISLNK(status.st_mode):
        try:
            require_regular(status)
        except NotRegular as error:
            raise Fault(f"cannot use {path}: {error.strerror}") from error
    kept = path.with_name(f"{path.name}.broken-{time.strftime('%Y%m%dT%H%M%S')}-{time.time_ns() % 10**9:09}")
    path.replace(kept)
    return kept


@contextmanager
def data_directory(path: Path, report: Callable[[str], None]) -> Iterator[None]:
    """Create the data directory, lock it for this process, and make it private."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
        folder = open_folder(Path(os.path.realpath(path)), own=True)
        descriptor = folder.open(".", os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise Fault(f"cannot use data directory {path}: {error.strerror}") from error
    try:
        with folder, protected(path):
            _lock(folder, descriptor, path)
            remove_leftovers(folder)
            _tighten(folder, path, report)
            yield
    finally:
        os.close(descriptor)


def _lock(folder: Directory, descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(folder.open(".writable", os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, PRIVATE))
        folder.remove(".writable")
    except BlockingIOError as error:
        raise DataDirectoryInUse(f"data directory {path} is in use by another stringd") from error
    except OSError as error:
        raise Fault(f"cannot use data directory {path}: {error.strerror}") from error


def _tighten(folder: Directory, path: Path, report: Callable[[str], None]) -> None:
    """Remove the permissions of group and others, and report each change."""
    _make_private(path, _PRIVATE_FOLDER, report)
    with folder.entries() as entries:
        names = [entry.name for entry in entries if entry.name.startswith(_STATE)]
    for name in sorted(names):
        _make_private(path / name, PRIVATE, report)


def _make_private(path: Path, mode: int, report: Callable[[str], None]) -> None:
    try:
        descriptor = _opened_to_change(Path(os.path.realpath(path)))
    except OSError:
        # The code that opens the file reports the error.
        return
    try:
        before = os.fstat(descriptor).st_mode
        if before & _OTHERS:
            report(f"{path} was open to others (mode {stat.S_IMODE(before):o}); {_changed(descriptor, mode)}")
    finally:
        os.close(descriptor)


def _opened_to_change(real: Path) -> int:
    status = real.lstat()
    if not stat.S_ISDIR(status.st_mode):
        require_regular(status)
    return os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _changed(descriptor: int, mode: int) -> str:
    # A sticky directory such as /tmp is shared on purpose.
    if os.fstat(descriptor).st_mode & stat.S_ISVTX:
        return "it is shared (sticky bit) and was left unchanged"
    try:
        os.fchmod(descriptor, mode)
    except OSError as error:
        return f"its mode could not be changed: {error.strerror}"
    return f"it is {mode:o} now"
