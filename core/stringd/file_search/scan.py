"""Search files with Python: jobs for a worker process, which can be stopped."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator

from stringd.file_search.file_walk import SearchedFile, name_of, paths_by_depth, searched_files
from stringd.file_search.query import (
    LARGEST,
    MOST_FILES,
    FileMatches,
    FileQuery,
    Found,
    Place,
    SearchLimits,
)

MOST_NAMES = 50_000
"""The limit on names among which that of a file is looked for."""


def scan(query: FileQuery, limits: SearchLimits) -> Found:
    """Search all files within a time limit, and return what was found."""
    return _Scan(query, limits).run()


def matching_names(query: FileQuery, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths of files whose names match."""
    pattern = query.pattern()
    return tuple(path for path in paths if pattern.search(name_of(path)))


def file_named(root: str, name: str) -> str | None:
    """Return the path of the least nested file of a name below a directory."""
    with contextlib.suppress(OSError):
        return next((it for it in paths_by_depth(root, MOST_NAMES) if name_of(it) == name), None)
    return None


class _Scan:
    """A search with its results so far."""

    def __init__(self, query: FileQuery, limits: SearchLimits) -> None:
        self._query = query
        self._limits = limits
        self._pattern = query.pattern()
        self._deadline = time.monotonic() + limits.seconds
        self._files: list[FileMatches] = []
        self._names: list[str] = []
        self._unreadable = 0

    def run(self) -> Found:
        is_late = is_full = False
        for file in (file for root in self._query.roots for file in searched_files(root)):
            is_late, is_full = time.monotonic() > self._deadline, len(self._files) >= MOST_FILES
            if is_late or is_full:
                break
            self._search(file)
        return Found(
            files=tuple(self._files),
            names=tuple(self._names),
            unreadable=self._unreadable,
            is_late=is_late,
            is_full=is_full,
        )

    def _search(self, file: SearchedFile) -> None:
        if self._query.with_names and self._pattern.search(name_of(file.path)):
            self._names.append(file.path)
        try:
            data = file.read(LARGEST)
        except OSError:
            self._unreadable += 1
            return
        if data and b"\0" not in data and self._may_match(data):
            self._add(file.path, data.decode(errors="surrogateescape"))

    def _may_match(self, data: bytes) -> bool:
        """Whether a file may hold the text: a quick test for ASCII, in which lower case has no surprises."""
        text = self._query.text
        if self._query.is_regex or not text.isascii() or not data.isascii():
            return True
        return text.encode() in (data.lower() if self._query.ignores_case else data)

    def _add(self, path: str, text: str) -> None:
        most = self._limits.places if len(self._files) < self._limits.files else 0
        places: list[Place] = []
        count = offset = reached = 0
        for number, start, found in _matches(self._pattern, text, by_line=self._query.is_regex):
            count += 1
            if count <= most:
                offset += _size(text[reached:start])
                reached = start
                places.append(Place(line=number, offset=offset, column=_size(text[start:found])))
        if count:
            self._files.append(FileMatches(path=path, count=count, places=tuple(places)))


def _size(text: str) -> int:
    return len(text.encode(errors="surrogateescape"))


def _matches(pattern: re.Pattern[str], text: str, *, by_line: bool) -> Iterator[tuple[int, int, int]]:
    """Yield the number of each matching line, and where it and the first match in it begin."""
    if not by_line:
        yield from _matches_of_text(pattern, text)
        return
    start = 0
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        if found := pattern.search(line.removesuffix("\r")):
            yield number, start, start + found.start()
        start += len(line) + 1


def _matches_of_text(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int, int]]:
    """Do the same for a pattern that matches within lines only, without a look at all the others."""
    number, counted, position = 1, 0, 0
    while found := pattern.search(text, position):
        number += text.count("\n", counted, found.start())
        counted = found.start()
        yield number, text.rfind("\n", 0, counted) + 1, counted
        line_end = text.find("\n", found.end())
        if line_end < 0:
            return
        position = line_end + 1
