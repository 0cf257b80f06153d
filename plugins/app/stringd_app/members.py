"""The files that an app is installed from, whatever they come out of, and how they are written safely."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from stringd.plugin import Refusal

LARGEST = 100 * 1024 * 1024
MOST = 10_000
_CHUNK = 1024 * 1024
_LEFT_OUT = frozenset({".git"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file or, without `open`, a directory, by its path below the app's directory."""

    name: str
    mode: int
    open: Callable[[], IO[bytes]] | None


def members_of_file(path: Path) -> Iterator[Member]:
    """Yield one file, as it is."""
    yield Member(name=path.name, mode=path.stat().st_mode, open=lambda: path.open("rb"))


def members_of_directory(directory: Path) -> Iterator[Member]:
    """Yield all that lies in a directory; a link is what it leads to, inside of the directory."""
    for folder, directories, names in os.walk(directory, followlinks=True):
        directories[:] = [name for name in directories if name not in _LEFT_OUT]
        for name in (*directories, *names):
            yield _member(Path(folder, name), directory)


def _member(path: Path, directory: Path) -> Member:
    name = path.relative_to(directory).as_posix()
    real = path.resolve()
    if path.is_symlink() and not (real.is_relative_to(directory) and real.exists()):
        raise Refusal("INVALID_TARGET", f"A link that leads out of the app, or nowhere: {name}")
    if path.is_symlink() and real in (it.resolve() for it in path.parents):
        raise Refusal("INVALID_TARGET", f"A link that leads in a circle: {name}")
    if real.is_dir():
        return Member(name=name, mode=real.stat().st_mode, open=None)
    if not real.is_file():
        raise Refusal("INVALID_TARGET", f"Neither a file nor a directory: {name}")
    return Member(name=name, mode=real.stat().st_mode, open=lambda: real.open("rb"))


def write_members(members: Iterable[Member], directory: Path) -> None:
    """Write files and directories below a directory, with their modes, or refuse."""
    room = LARGEST
    for number, member in enumerate(members):
        if number >= MOST:
            raise Refusal("INVALID_TARGET", f"An app of more than {MOST} files can't be installed.")
        path = directory / _safe(member.name)
        if member.open is None:
            _make(path, member.name)
            continue
        _make(path.parent, member.name)
        room -= _write(member, path, member.open, room)


def _make(folder: Path, name: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise _twice(name) from None


def _twice(name: str) -> Refusal:
    return Refusal("INVALID_TARGET", f"A path that is there twice: {name!r}")


def _safe(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    parts = path.parts
    if not parts or path.is_absolute() or ".." in parts or "\\" in name or "\0" in name:
        raise Refusal("INVALID_TARGET", f"A path that leads out of the app: {name!r}")
    return path


def _write(member: Member, path: Path, source: Callable[[], IO[bytes]], room: int) -> int:
    written = 0
    try:
        # A second file of the same name would write through the first.
        with source() as read, path.open("xb") as file:
            while chunk := read.read(_CHUNK):
                written += len(chunk)
                if written > room:
                    message = f"An app of more than {LARGEST // 1024**2} MiB can't be installed."
                    raise Refusal("INVALID_TARGET", message)
                file.write(chunk)
    except FileExistsError:
        raise _twice(member.name) from None
    except OSError as error:
        if error.errno is None:
            raise
        raise Refusal("WRITE_FAILED", f"Cannot write {member.name}: {error.strerror}") from error
    path.chmod((member.mode & 0o777) | 0o600)
    return written


def without_wrapper(directory: Path) -> Path:
    """Return the one directory that an archive wraps its files in, or the directory itself."""
    entries = list(directory.iterdir())
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else directory


def remove_tree(directory: Path) -> None:
    """Remove a directory, as far as that can be done."""
    shutil.rmtree(directory, ignore_errors=True)
