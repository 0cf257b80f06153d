"""What no command may touch: the data directories that this process holds, and stringd's own records."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stringd.errors import Refusal

SQLITE_PARTS = ("-wal", "-shm", "-journal")
"""What SQLite puts behind a database's name for the files that it keeps beside it."""


OWN_PREFIX = ".stringd-"
"""Names that begin so are stringd's own wherever they lie, such as the record beside an installed app."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """A directory by what the disk calls it, and the real paths not to be touched, each with a `/`."""

    identity: tuple[int, int]
    directory: str
    paths: tuple[str, ...]


_held: list[_Held] = []


@contextmanager
def withheld(directory: Path) -> Iterator[None]:
    """Let nobody but the daemon itself touch a directory, nor what its links lead to."""
    real, status = os.path.realpath(directory), directory.stat()
    links = (entry for entry in Path(real).iterdir() if entry.is_symlink())
    linked = (os.path.realpath(link) + part for link in links for part in ("", *SQLITE_PARTS))
    paths = tuple(f"{path.rstrip('/')}/" for path in (real, *linked))
    held = _Held(identity=(status.st_dev, status.st_ino), directory=real, paths=paths)
    _held.append(held)
    try:
        yield
    finally:
        _held.remove(held)


def is_withheld(real: str) -> bool:
    """Whether a real path is withheld or stringd's own, or lies below one that is."""
    return f"/{OWN_PREFIX}" in real or any(f"{real}/".startswith(held.paths) for held in _held)


def refuse_path(real: str, shown: str) -> None:
    """Refuse a real path that is withheld, or lies below one that is."""
    if is_withheld(real):
        raise _refusal(shown)


def refuse_folder(status: os.stat_result, shown: str) -> None:
    """Refuse a directory that is withheld, whatever path has led to it."""
    if any((status.st_dev, status.st_ino) == held.identity for held in _held):
        raise _refusal(shown)


def refuse_file(status: os.stat_result, shown: str) -> None:
    """Refuse a file that has another name in a directory that is withheld."""
    if status.st_nlink > 1 and any(_holds(held, status) for held in _held):
        raise _refusal(shown)


def _holds(held: _Held, status: os.stat_result) -> bool:
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
    return Refusal("FILE_NOT_ALLOWED", f"Reserved for stringd itself: {shown}")
