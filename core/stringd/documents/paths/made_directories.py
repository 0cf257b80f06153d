"""Count the directories that are made for a file, and remove them with it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from stringd.files.open_directory import is_there, open_folder


def missing_directories(path: Path) -> int:
    """Return the number of parent directories of a real path that do not exist."""
    return next(number for number, parent in enumerate(path.parents) if is_there(parent))


def remove_directories(path: Path, count: int) -> None:
    """Remove up to `count` parent directories of a path, innermost first, stopping at one that is in use."""
    with suppress(OSError):
        for parent in path.parents[:count]:
            with open_folder(parent.parent) as folder:
                folder.remove_folder(parent.name)
