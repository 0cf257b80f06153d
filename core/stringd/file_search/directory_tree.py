"""Show the files below a directory as a tree of limited size."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, field

from stringd.errors import ErrorCode, NoSuchFile, Refusal
from stringd.file_search.file_walk import Rules, entries_of, rules_around, rules_in, searched_entries
from stringd.files.open_directory import open_folder
from stringd.text.escaping import printable
from stringd.text.formatting import counted

MOST_ENTRIES = 500
DEEPEST = 50
_MOST_NAMES = 50_000
_INDENT = "  "
_EMPTY = "(empty)"


class _Folder(Struct, kw_only=True):
    """A directory of the tree, with what is shown of it: a line for each name, or how many there are."""

    path: str
    level: int
    rules: Rules | None
    lines: Sequence[tuple[str, str]] = ()
    within: dict[str, _Folder] = field(default_factory=dict)
    count: int | None = None
    is_readable: bool = False


def directory_tree(path: Path, shown: str, *, hidden: bool, depth: int) -> str:
    """Return the tree below a directory, or refuse; levels that do not fit are counted.

    Hidden names and those that `.gitignore` files name are left out, unless `hidden` ones are wanted.
    """
    try:
        with open_folder(path):
            top = _Folder(path=str(path), level=0, rules=None if hidden else rules_around(str(path)))
    except FileNotFoundError:
        raise NoSuchFile(shown) from None
    except NotADirectoryError:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a directory: {shown}") from None
    except OSError as error:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Cannot list {shown}: {error.strerror}") from error
    _Tree(hidden=hidden, depth=depth).grow(top)
    lines = list(_lines(top))
    return "\n".join(lines) or _EMPTY


class _Tree:
    """Reads directories level by level, as long as their entries fit."""

    def __init__(self, *, hidden: bool, depth: int) -> None:
        self._hidden = hidden
        self._depth = depth
        self._room = MOST_ENTRIES
        self._names = _MOST_NAMES

    def grow(self, top: _Folder) -> None:
        """Read the directories below one, the least nested first."""
        level = [top]
        while level:
            for folder in level:
                self._read(folder)
            level = [inner for folder in level for inner in folder.within.values()]

    def _read(self, folder: _Folder) -> None:
        with suppress(OSError, Refusal):
            if self._names > 0:
                # Entries know their status as long as their directory is open.
                with open_folder(Path(folder.path)) as opened, opened.listed() as descriptor:
                    self._fill(folder, descriptor)
                folder.is_readable = True

    def _fill(self, folder: _Folder, descriptor: int) -> None:
        entries, rules = self._entries(folder, descriptor)
        folder.count = len(entries)
        fits = len(entries) <= self._room or not folder.level
        if not fits or folder.level >= self._depth:
            return
        shown = entries[: self._room]
        self._room -= len(shown)
        folder.lines = [(it.name, _line(it)) for it in shown]
        for entry in shown:
            if entry.is_dir(follow_symlinks=False):
                below = f"{folder.path.rstrip('/')}/{entry.name}"
                folder.within[entry.name] = _Folder(path=below, level=folder.level + 1, rules=rules)

    def _entries(self, folder: _Folder, descriptor: int) -> tuple[Sequence[os.DirEntry[str]], Rules | None]:
        found = entries_of(descriptor, self._names)
        self._names -= len(found)
        if self._hidden:
            return _sorted(found), None
        rules = rules_in(descriptor, folder.path, folder.rules, {it.name for it in found})
        return _sorted(it for _, it in searched_entries(found, folder.path, rules)), rules


def _sorted(entries: Iterable[os.DirEntry[str]]) -> Sequence[os.DirEntry[str]]:
    return sorted(entries, key=lambda it: (not it.is_dir(follow_symlinks=False), it.name))


def _line(entry: os.DirEntry[str]) -> str:
    name = printable(entry.name)
    if entry.is_symlink():
        # Not followed: the target may lie outside the allowed paths.
        return f"{name}@"
    if entry.is_dir(follow_symlinks=False):
        return f"{name}/"
    with suppress(OSError):
        return f"{name}  {counted(entry.stat(follow_symlinks=False).st_size, 'byte')}"
    return name


def _lines(folder: _Folder) -> Iterator[str]:
    indent = _INDENT * folder.level
    for name, line in folder.lines:
        inner = folder.within.get(name)
        yield f"{indent}{line}{_remark(inner) if inner else ''}"
        if inner:
            yield from _lines(inner)
    if folder.lines and (more := (folder.count or 0) - len(folder.lines)):
        yield f"{indent}… and {more:,} more"


def _remark(folder: _Folder) -> str:
    """Return how many entries a directory has that are not shown."""
    if not folder.is_readable:
        return "  (not read)"
    if folder.lines or not folder.count:
        return ""
    return f"  ({folder.count:,} {'entry' if folder.count == 1 else 'entries'})"
