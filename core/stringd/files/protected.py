"""Paths that commands may not access: this process's data directories and stringd's own records."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from stringd.errors import ErrorCode, Refusal

SQLITE_PARTS = ("-wal", "-shm", "-journal")
"""The suffixes of the files that SQLite keeps beside a database."""


OWN_PREFIX = ".stringd-"
"""The prefix of names that are reserved everywhere, such as the record beside an installed app."""
_OWN_NAME = f"/{OWN_PREFIX}"


class _Protected(Struct, frozen=True, kw_only=True):
    """A protected directory by device and inode, and the protected real paths, each with a trailing `/`."""

    identity: tuple[int, int]
    directory: str
    paths: tuple[str, ...]


class _Held:
    """The protected directories, and all of their paths."""

    def __init__(self) -> None:
        self.directories: list[_Protected] = []
        self.paths: tuple[str, ...] = ()

    def add(self, directory: _Protected) -> None:
        self.directories.append(directory)
        self._join_paths()

    def remove(self, directory: _Protected) -> None:
        self.directories.remove(directory)
        self._join_paths()

    def _join_paths(self) -> None:
        self.paths = tuple(path for it in self.directories for path in it.paths)


_held = _Held()


@contextmanager
def protected(directory: Path) -> Iterator[None]:
    """Protect a directory and the targets of its links from commands."""
    real, status = os.path.realpath(directory), directory.stat()
    links = (entry for entry in Path(real).iterdir() if entry.is_symlink())
    linked = (os.path.realpath(link) + part for link in links for part in ("", *SQLITE_PARTS))
    paths = tuple(f"{path.rstrip('/')}/" for path in (real, *linked))
    held = _Protected(identity=(status.st_dev, status.st_ino), directory=real, paths=paths)
    _held.add(held)
    try:
        yield
    finally:
        _held.remove(held)


def is_protected(real: str) -> bool:
    """Whether a real path is protected or reserved, or lies below one that is."""
    return _OWN_NAME in real or f"{real}/".startswith(_held.paths)


def refuse_path(real: str, shown: str) -> None:
    """Refuse a protected real path."""
    if is_protected(real):
        raise _refusal(shown)


def refuse_folder(status: os.stat_result, shown: str) -> None:
    """Refuse a protected directory by its identity, whatever path led to it."""
    if any((status.st_dev, status.st_ino) == held.identity for held in _held.directories):
        raise _refusal(shown)


def refuse_file(status: os.stat_result, shown: str) -> None:
    """Refuse a file with a hard link in a protected directory."""
    if status.st_nlink > 1 and any(_holds(held, status) for held in _held.directories):
        raise _refusal(shown)


def _holds(held: _Protected, status: os.stat_result) -> bool:
    is_near = held.identity[0] == status.st_dev
    with os.scandir(held.directory) as entries:
        return any(
            _leads_to(entry, status) if entry.is_symlink() else is_near and entry.inode() == status.st_ino
            for entry in entries
        )


def _leads_to(entry: os.DirEntry[str], status: os.stat_result) -> bool:
    try:
        return os.path.samestat(entry.stat(), status)
    except OSError:
        return False


def _refusal(shown: str) -> Refusal:
    return Refusal(ErrorCode.FILE_NOT_ALLOWED, f"Reserved for stringd itself: {shown}")
