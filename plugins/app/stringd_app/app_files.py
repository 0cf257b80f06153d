"""The files that an app is installed from, and the safe way to write them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal
from stringd.plugin.files import OWN_PREFIX, Directory, open_file, open_folder, real_path, status_of

LARGEST = 100 * 1024 * 1024
MOST = 10_000
_CHUNK = 1024 * 1024
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_LEFT_OUT = frozenset({".git"})


class Member(Struct, frozen=True, kw_only=True):
    """A file, or a directory if `open` is None; `name` is its path relative to the app's directory."""

    name: str
    mode: int
    open: Callable[[], IO[bytes]] | None


def members_of_file(path: Path) -> Iterator[Member]:
    """Yield the file at a real path."""
    yield Member(name=path.name, mode=path.lstat().st_mode, open=partial(open_file, path))


def members_of_directory(directory: Path) -> Iterator[Member]:
    """Yield the content of the directory at a real path; symbolic links inside it are followed."""
    waiting: list[tuple[tuple[Path, ...], PurePosixPath]] = [((directory,), PurePosixPath())]
    while waiting:
        chain, below = waiting.pop()
        for entry in _names(chain[-1]):
            name = below / entry
            member, real = _member(chain[-1] / entry, name, directory)
            if real in chain:
                raise Refusal(ErrorCode.INVALID_TARGET, f"A symbolic link that leads in a circle: {name}")
            yield member
            if member.open is None:
                waiting.append(((*chain, real), name))


def _names(path: Path) -> list[str]:
    with open_folder(path) as folder, folder.entries() as entries:
        return sorted(it.name for it in entries if not _is_left_out(it))


def _is_left_out(entry: os.DirEntry[str]) -> bool:
    return entry.name.startswith(OWN_PREFIX) or (entry.name in _LEFT_OUT and entry.is_dir())


def _member(path: Path, name: PurePosixPath, directory: Path) -> tuple[Member, Path]:
    """Return the member at a path whose parent is real, and the real path of the member."""
    real = real_path(path)
    status = status_of(real) if real.is_relative_to(directory) else None
    if status is None:
        raise Refusal(
            ErrorCode.INVALID_TARGET, f"A symbolic link that leads out of the app, or nowhere: {name}"
        )
    if stat.S_ISDIR(status.st_mode):
        return Member(name=str(name), mode=status.st_mode, open=None), real
    if not stat.S_ISREG(status.st_mode):
        raise Refusal(ErrorCode.INVALID_TARGET, f"Neither a file nor a directory: {name}")
    return Member(name=str(name), mode=status.st_mode, open=partial(open_file, real)), real


def write_members(members: Iterable[Member], folder: Directory) -> None:
    """Write files and directories below a directory, with their modes, or refuse.

    Names of stringd's own records are skipped, so that an app cannot provide its own install record.
    """
    room = LARGEST
    for number, member in enumerate(members):
        if number >= MOST:
            raise Refusal(ErrorCode.INVALID_TARGET, f"An app of more than {MOST} files can't be installed.")
        *around, name = parts = _checked_path(member.name).parts
        if any(part.startswith(OWN_PREFIX) for part in parts):
            continue
        if member.open is None:
            _make_folder(folder, (*around, name), member.name).close()
            continue
        with _make_folder(folder, around, member.name) as inner:
            room -= _write(member, inner, name, member.open, room)


def _make_folder(folder: Directory, parts: Sequence[str], name: str) -> Directory:
    try:
        return folder.made_below(parts)
    except NotADirectoryError:
        raise _duplicate(name) from None


def _duplicate(name: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_TARGET, f"A path that occurs twice: {name!r}")


def _checked_path(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    parts = path.parts
    if not parts or path.is_absolute() or ".." in parts or "\\" in name or "\0" in name:
        raise Refusal(ErrorCode.INVALID_TARGET, f"A path that leads out of the app: {name!r}")
    return path


def _write(member: Member, folder: Directory, name: str, source: Callable[[], IO[bytes]], room: int) -> int:
    written = 0
    try:
        # O_EXCL: a second file of the same name must not overwrite the first.
        with source() as read, os.fdopen(folder.open(name, _CREATE), "wb") as file:
            while chunk := read.read(_CHUNK):
                written += len(chunk)
                if written > room:
                    message = f"An app of more than {LARGEST // 1024**2} MiB can't be installed."
                    raise Refusal(ErrorCode.INVALID_TARGET, message)
                file.write(chunk)
            os.fchmod(file.fileno(), (member.mode & 0o777) | 0o600)
    except FileExistsError:
        raise _duplicate(member.name) from None
    except OSError as error:
        if error.errno is None:
            raise
        raise Refusal(ErrorCode.WRITE_FAILED, f"Cannot write {member.name}: {error.strerror}") from error
    return written
