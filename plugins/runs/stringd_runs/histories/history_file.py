"""The file of a run's history: created privately, appended to by one writer, whole lines or nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from stringd.plugin.files import Directory, NotRegular, open_folder
from stringd.plugin.workers import STORAGE

FOLDER = "runs"
_SUFFIX = ".jsonl"
_PRIVATE = 0o600
_PRIVATE_FOLDER = 0o700
_READ = os.O_RDONLY | os.O_NONBLOCK
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK


def file_name(run_id: str) -> str:
    """Return the name of the file of a run's history."""
    return f"{run_id}{_SUFFIX}"


def run_id_of(name: str) -> str | None:
    """Return the id of the run whose history has this name; None for other files."""
    return name.removesuffix(_SUFFIX) if name.endswith(_SUFFIX) else None


def has_histories(data_dir: Path) -> bool:
    """Whether there may be histories; it blocks."""
    try:
        with os.scandir(data_dir / FOLDER) as entries:
            return any(entries)
    except FileNotFoundError:
        return False
    except OSError:
        return True


def open_histories(data_dir: Path, *, create: bool = False) -> Directory:
    """Open the folder of histories, which may be created if necessary."""
    with open_folder(Path(os.path.realpath(data_dir)), own=True) as parent:
        if create and parent.status(FOLDER) is None:
            parent.make(FOLDER, _PRIVATE_FOLDER)
            parent.sync()
        return parent.folder(FOLDER)


def open_to_read(folder: Directory, run_id: str) -> BinaryIO:
    """Open the history of a run; raise `OSError` for anything but a regular file."""
    descriptor = folder.open(file_name(run_id), _READ)
    try:
        _size_of(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


class HistoryFile:
    """Appends lines to the history of one run; implements `AppendLog`."""

    keeps_all = False

    def __init__(self, data_dir: Path, run_id: str) -> None:
        self._data_dir = data_dir
        self._name = file_name(run_id)
        self._descriptor: int | None = None
        self._size = 0

    async def append(self, data: bytes, *, sync: bool, is_over: bool = False) -> None:
        """Write whole lines, all of them or none; they are on disk afterwards if `sync` asks for that."""
        await STORAGE.run(self.write, data, sync=sync)

    async def close(self) -> None:
        """Close the file; the next line opens it again."""
        await STORAGE.run(self._close)

    def write(self, data: bytes, *, sync: bool) -> None:
        """Do the same as `append`; it blocks."""
        descriptor = self._open() if self._descriptor is None else self._descriptor
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            if sync:
                os.fdatasync(descriptor)
        except BaseException:
            os.ftruncate(descriptor, self._size)
            raise
        self._size += len(data)

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        with open_histories(self._data_dir, create=True) as folder:
            is_new = folder.status(self._name) is None
            descriptor = folder.open(self._name, _APPEND, _PRIVATE)
            try:
                self._size = _size_of(descriptor)
                if is_new:
                    folder.sync()
                else:
                    self._size += _end_torn_line(descriptor, self._size)
            except BaseException:
                os.close(descriptor)
                raise
        self._descriptor = descriptor
        return descriptor


def _size_of(descriptor: int) -> int:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular(status.st_mode)
    return status.st_size


def _end_torn_line(descriptor: int, size: int) -> int:
    """Have the next line begin on its own, and return the number of bytes written for that."""
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        return os.write(descriptor, b"\n")
    return 0
