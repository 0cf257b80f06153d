"""A directory as a list."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stringd.errors import Refusal
from stringd.text.counts import counted
from stringd.text.names import printable

NOTHING = "(empty)"


def list_directory(path: Path, shown: str, *, hidden: bool) -> str:
    """Return directories first, then files with their sizes, each by name; or refuse."""
    try:
        entries = [entry for entry in path.iterdir() if hidden or not entry.name.startswith(".")]
        entries.sort(key=lambda entry: (entry.is_symlink() or not entry.is_dir(), entry.name))
        return "\n".join(_lines(entries)) or NOTHING
    except FileNotFoundError:
        raise Refusal("NOT_FOUND", f"File not found: {shown}") from None
    except NotADirectoryError:
        raise Refusal("INVALID_TARGET", f"Not a directory: {shown}") from None
    except OSError as error:
        raise Refusal("INVALID_TARGET", f"Cannot list {shown}: {error.strerror}") from error


def _lines(entries: list[Path]) -> Iterator[str]:
    for entry in entries:
        name = printable(entry.name)
        if entry.is_symlink():
            # Not followed: where it leads may be nobody's business here.
            yield f"{name}@"
        elif entry.is_dir():
            yield f"{name}/"
        else:
            yield f"{name}  {counted(entry.lstat().st_size, 'byte')}"
