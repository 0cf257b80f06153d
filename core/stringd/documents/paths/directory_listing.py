"""List a directory as text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from stringd.errors import ErrorCode, NoSuchFile, Refusal
from stringd.files.open_directory import open_folder
from stringd.text.escaping import printable
from stringd.text.formatting import counted

NOTHING = "(empty)"


def list_directory(path: Path, shown: str, *, hidden: bool) -> str:
    """List directories first, then files with their sizes, sorted by name; or refuse."""
    try:
        with open_folder(path) as folder, folder.entries() as found:
            entries = [entry for entry in found if hidden or not entry.name.startswith(".")]
            entries.sort(key=lambda entry: (not entry.is_dir(follow_symlinks=False), entry.name))
            return "\n".join(_lines(entries)) or NOTHING
    except FileNotFoundError:
        raise NoSuchFile(shown) from None
    except NotADirectoryError:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a directory: {shown}") from None
    except OSError as error:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Cannot list {shown}: {error.strerror}") from error


def _lines(entries: Iterable[os.DirEntry[str]]) -> Iterator[str]:
    for entry in entries:
        name = printable(entry.name)
        if entry.is_symlink():
            # Not followed: the target may lie outside the allowed paths.
            yield f"{name}@"
        elif entry.is_dir(follow_symlinks=False):
            yield f"{name}/"
        else:
            yield f"{name}  {counted(entry.stat(follow_symlinks=False).st_size, 'byte')}"
