"""Open directories: operations on their entries are unaffected by changes to their path."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from stringd.errors import Refusal
from stringd.files.nofollow import LOOK, open_nofollow
from stringd.files.protected import refuse_folder, refuse_path

_LOOK = LOOK | os.O_DIRECTORY
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK | os.O_CLOEXEC
_NEW_FOLDER_MODE = 0o777


class Directory:
    """An open directory with its descriptor; names refer to its direct entries.

    `own` marks a directory of the daemon itself, which is exempt from the access checks.
    """

    __slots__ = ("descriptor", "own", "path")

    def __init__(self, descriptor: int, path: Path, *, own: bool = False) -> None:
        self.descriptor = descriptor
        self.path = path
        self.own = own

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.descriptor)

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Open or create a file, and return its descriptor."""
        return open_nofollow(name, flags, mode, folder=self.descriptor)

    def folder(self, name: str) -> Directory:
        """Open a subdirectory."""
        return _checked(open_nofollow(name, _LOOK, folder=self.descriptor), self.path / name, own=self.own)

    def status(self, name: str) -> os.stat_result | None:
        """Return the status of an entry, or None if it does not exist."""
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def make(self, name: str, mode: int = _NEW_FOLDER_MODE) -> None:
        """Create a subdirectory."""
        os.mkdir(name, mode, dir_fd=self.descriptor)

    def made(self, name: str) -> Directory:
        """Open a subdirectory, and create it if necessary."""
        with suppress(FileExistsError):
            self.make(name)
        return self.folder(name)

    def made_below(self, parts: Sequence[str]) -> Directory:
        """Open a nested subdirectory, and create the missing ones on the path."""
        here = self.folder(".")
        for part in parts:
            with here:
                inner = here.made(part)
            here = inner
        return here

    def set_mode(self, name: str, mode: int) -> None:
        """Set the permissions of an entry."""
        descriptor = self.open(name, os.O_RDONLY | os.O_NONBLOCK)
        try:
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)

    def rename(self, name: str, other: Directory, new: str) -> None:
        """Move an entry, replacing the target if it exists."""
        os.replace(name, new, src_dir_fd=self.descriptor, dst_dir_fd=other.descriptor)

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(name, dir_fd=self.descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove an empty subdirectory."""
        os.rmdir(name, dir_fd=self.descriptor)

    def remove_tree(self, name: str) -> None:
        """Remove a subdirectory with its contents, as far as possible."""
        shutil.rmtree(name, ignore_errors=True, dir_fd=self.descriptor)

    @contextmanager
    def listed(self) -> Iterator[int]:
        """Yield a descriptor of the directory by which its entries can be listed."""
        descriptor = self.open(".", _LIST)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def entries(self) -> Iterator[Iterator[os.DirEntry[str]]]:
        """Yield the entries; query them with `follow_symlinks=False`."""
        with self.listed() as descriptor, os.scandir(descriptor) as entries:
            yield entries

    def sync(self) -> None:
        """Sync the entries to disk."""
        descriptor = self.open(".", _LIST)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def open_folder(path: Path, *, own: bool = False) -> Directory:
    """Open the directory at a real path, or raise `OSError`; refuse a protected one."""
    if not own:
        refuse_path(str(path), path.name)
    return _checked(open_nofollow(str(path), _LOOK), path, own=own)


def status_of(path: Path) -> os.stat_result | None:
    """Return the status of a real path, None if nothing exists there; or raise `OSError`, or refuse."""
    refuse_path(str(path), path.name)
    try:
        descriptor = open_nofollow(str(path), LOOK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def is_there(path: Path) -> bool:
    """Whether anything exists at a real path, as far as that can be determined."""
    try:
        return status_of(path) is not None
    except OSError as error:
        return error.errno == errno.ELOOP
    except Refusal:
        return False


def is_searchable(path: Path) -> bool:
    """Whether a real path is that of a regular file or a directory."""
    try:
        status = status_of(path)
    except (OSError, Refusal):
        return False
    return status is not None and (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))


def made_folder(path: Path) -> Directory:
    """Open the directory at a real path, and create it with missing parents."""
    around = [path, *path.parents]
    for number, parent in enumerate(around):
        try:
            with open_folder(parent) as folder:
                return folder.made_below([it.name for it in reversed(around[:number])])
        except FileNotFoundError:
            if parent == around[-1]:
                raise
    raise AssertionError("the root always exists")


def _checked(descriptor: int, path: Path, *, own: bool) -> Directory:
    try:
        if not own:
            refuse_folder(os.fstat(descriptor), path.name)
    except BaseException:
        os.close(descriptor)
        raise
    return Directory(descriptor, path, own=own)
