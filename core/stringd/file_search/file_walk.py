"""Walk the files below a directory in order, except hidden files, ignored files and links."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from msgspec import Struct

from stringd.file_search.gitignore import IgnoreRules
from stringd.files.nofollow import open_nofollow

DEEPEST = 200
"""The limit on nested directories, each of which a search keeps open."""
_RULES, _REPOSITORY = ".gitignore", ".git"
_LARGEST_RULES = 1024 * 1024
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class SearchedFile(Struct, frozen=True):
    """A file in an open directory; read it before asking for the next one."""

    folder: int
    path: str

    def read(self, most: int) -> bytes | None:
        """Return the content; None if it is larger or no regular file; or raise `OSError`."""
        descriptor = open_nofollow(name_of(self.path), _READ, folder=self.folder)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            is_fit = stat.S_ISREG(status.st_mode) and status.st_size <= most
            return file.read(most) if is_fit else None


class Rules(Struct, frozen=True):
    """The rules that apply in a directory: its own, and those of the directories around it."""

    directory: str
    own: IgnoreRules
    outer: Rules | None

    def ignores(self, path: str, *, is_directory: bool) -> bool | None:
        """Whether a path is ignored; None if no rule matches."""
        relative = path[len(self.directory.rstrip("/")) + 1 :]
        decided = self.own.ignores(relative, is_directory=is_directory)
        if decided is not None or self.outer is None:
            return decided
        return self.outer.ignores(path, is_directory=is_directory)


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def searched_files(root: str) -> Iterator[SearchedFile]:
    """Yield the files of a tree by name, directories among them, or the file that the path leads to.

    A directory that cannot be read counts as empty.
    """
    with _opened(root.rpartition("/")[0] or "/") as folder:
        name = name_of(root) or "."
        if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            yield SearchedFile(folder, root)
            return
    with _opened(root) as folder:
        yield from _files_in(folder, root, rules_around(root), DEEPEST)


def paths_by_depth(root: str, most: int) -> Iterator[str]:
    """Yield the paths of the files below a directory, the least nested first, among so many names."""
    folders = deque([(root, rules_around(root))])
    while folders and most > 0:
        path, outer = folders.popleft()
        with suppress(OSError), _opened(path) as folder:
            entries = entries_of(folder, most)
            most -= len(entries)
            rules = rules_in(folder, path, outer, {it.name for it in entries})
            for below, entry in searched_entries(entries, path, rules):
                if entry.is_file(follow_symlinks=False):
                    yield below
                elif entry.is_dir(follow_symlinks=False):
                    folders.append((below, rules))


def _files_in(folder: int, path: str, outer: Rules | None, deeper: int) -> Iterator[SearchedFile]:
    entries = entries_of(folder)
    rules = rules_in(folder, path, outer, {it.name for it in entries})
    for below, entry in searched_entries(entries, path, rules):
        if entry.is_file(follow_symlinks=False):
            yield SearchedFile(folder, below)
        elif deeper and entry.is_dir(follow_symlinks=False):
            yield from _files_below(folder, below, rules, deeper - 1)


def entries_of(folder: int, most: int | None = None) -> list[os.DirEntry[str]]:
    """Return the entries of an open directory by name, or the first that are found."""
    with os.scandir(folder) as found:
        return sorted(islice(found, most), key=lambda it: it.name)


def searched_entries(
    entries: Iterable[os.DirEntry[str]], path: str, rules: Rules | None
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield the entries of a directory that are neither ignored nor hidden, with their paths."""
    around = path.rstrip("/")
    for entry in entries:
        below = f"{around}/{entry.name}"
        ignored = rules.ignores(below, is_directory=entry.is_dir(follow_symlinks=False)) if rules else None
        # A rule that excepts a hidden file brings it back, as in ripgrep.
        if not ignored and (ignored is False or not entry.name.startswith(".")):
            yield below, entry


def _files_below(folder: int, path: str, outer: Rules | None, deeper: int) -> Iterator[SearchedFile]:
    try:
        descriptor = open_nofollow(name_of(path), _LIST, folder=folder)
    except OSError:
        return
    try:
        yield from _files_in(descriptor, path, outer, deeper)
    finally:
        os.close(descriptor)


def rules_in(folder: int, path: str, outer: Rules | None, names: set[str]) -> Rules | None:
    """Return the rules in an open directory; those around the root of a repository do not apply in it."""
    if _REPOSITORY in names:
        outer = None
    own = _read_rules(folder) if _RULES in names else None
    return Rules(path, own, outer) if own else outer


def _read_rules(folder: int) -> IgnoreRules | None:
    try:
        data = SearchedFile(folder, _RULES).read(_LARGEST_RULES)
    except OSError:
        return None
    return IgnoreRules(data.decode(errors="surrogateescape")) if data else None


def rules_around(root: str) -> Rules | None:
    """Return the rules of the directories around a tree, up to the root of the repository that it is in."""
    rules: Rules | None = None
    for parent in reversed(Path(root).parents):
        with _opened(str(parent)) as folder:
            names = {it for it in (_RULES, _REPOSITORY) if os.path.lexists(parent / it)}
            rules = rules_in(folder, str(parent), rules, names)
    return rules


@contextmanager
def _opened(path: str) -> Iterator[int]:
    descriptor = open_nofollow(path, _LIST)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
