"""Resolve paths to real ones, following all links."""

from __future__ import annotations

import os
from pathlib import Path

from stringd.errors import ErrorCode, Refusal
from stringd.files.nofollow import LOOK, open_nofollow

# A link may be removed while it is being resolved; retry, but not forever.
_ATTEMPTS = 50
_OPEN_FILES = "/proc/self/fd"
_DELETED = " (deleted)"
_SYSTEM_KNOWS = hasattr(os, "O_PATH") and Path(_OPEN_FILES).is_dir()


def real_path(path: Path | str) -> Path:
    """Return the real path, whether anything exists there or not; refuse what cannot be resolved."""
    for _ in range(_ATTEMPTS):
        try:
            return Path(os.path.realpath(path))
        except RecursionError:
            raise Refusal(ErrorCode.INVALID_TARGET, "Too many levels of symbolic links.") from None
        except OSError:
            continue
    raise Refusal(ErrorCode.CONFLICT, "The symbolic links in the path are being changed by another process.")


def final_path(path: Path) -> str:
    """Return the real path of something that exists, from the system itself where it can tell."""
    if not _SYSTEM_KNOWS:
        return os.path.realpath(path, strict=True)
    name = str(path)
    if _is_free_of_links(name):
        return name
    known = _known_by_system(path)
    return os.path.realpath(path, strict=True) if known is None else known


def _is_free_of_links(name: str) -> bool:
    """Whether something exists at a path, and no part of the path is a link or `..`."""
    if "\0" in name:
        return False
    try:
        os.close(open_nofollow(name, LOOK))
    except OSError:
        return False
    return True


def _known_by_system(path: Path) -> str | None:
    """Return the current name of an opened path; None if the file was renamed over or removed meanwhile."""
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        name = os.readlink(f"{_OPEN_FILES}/{descriptor}")  # noqa: PTH115
        # Linux appends this to the name of a file that was replaced or removed meanwhile.
        is_lost = name.endswith(_DELETED) and not _is_same_file(name, descriptor)
        return None if is_lost else name
    finally:
        os.close(descriptor)


def _is_same_file(name: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(name), os.fstat(descriptor))  # noqa: PTH116
    except OSError:
        return False
