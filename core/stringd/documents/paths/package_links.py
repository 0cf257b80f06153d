"""Resolve links within a package; they never lead out of it."""

from __future__ import annotations

from pathlib import Path

from stringd.api.documents import Package
from stringd.errors import ErrorCode, Refusal
from stringd.files.real_path import real_path
from stringd.files.typed_paths import FileTarget


def locate(target: str, author: Path, package: Package) -> FileTarget:
    """Resolve a relative link in a file of a package to another file of it, or refuse."""
    name, mark, block = target.partition("#")
    if mark and not block:
        raise Refusal(ErrorCode.INVALID_TARGET, f"No block is named after the #: {target}")
    path = author if not name else real_path(author.parent / name)
    if not path.is_relative_to(package.directory):
        raise Refusal(ErrorCode.FILE_NOT_ALLOWED, f"Outside {package.uri}: {target}")
    return FileTarget(typed=target, path=path, block=block or None)


def inside(directory: Path, name: str) -> Path:
    """Return the real path of a name in a directory, or refuse one that lies outside."""
    path = real_path(directory / name)
    if not path.is_relative_to(real_path(directory)):
        raise Refusal(ErrorCode.FILE_NOT_ALLOWED, f"Outside the package: {name}")
    return path
