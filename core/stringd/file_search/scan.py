"""Search files with Python: jobs for a worker process, which can be stopped."""

from __future__ import annotations

import contextlib
import re
import signal
import time
from collections.abc import Iterator

from stringd.file_search.file_query import (
    LARGEST,
    MOST_FILES,
    FileMatches,
    FileQuery,
    Found,
    Place,
    SearchLimits,
)
from stringd.file_search.file_walk import SearchedFile, name_of, paths_by_depth, searched_files

_ESCAPE = "surrogateescape"
# What stands for bytes that are not UTF-8.
_NO_TEXT = re.compile(r"[\udc80-\udcff]")
MOST_NAMES = 50_000
"""The limit on names among which that of a file is looked for."""
# A signal before the block is entered counts for nothing, so that another one must follow.
_SHORTEST, _AGAIN = 1e-6, 0.05


def scan(query: FileQuery, limits: SearchLimits) -> Found:
    """Search all files within a time limit, and return what was found."""
    return _Scan(query, limits).run()


def matching_names(
    query: FileQuery, paths: tuple[str, ...], limits: SearchLimits
) -> tuple[tuple[str, ...], bool]:
    """Return the paths of files whose names match, and whether the time was over before the last one."""
    pattern, found, is_late = query.pattern(), list[str](), True
    with _ending_at((time.monotonic() + limits.ends) / 2):
        found.extend(path for path in paths if pattern.search(name_of(path)))
        is_late = False
    return tuple(found), is_late


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
        self._files: list[FileMatches] = []
        self._names: list[str] = []
        self._unreadable = 0
        self._is_late, self._is_full = True, False

    def run(self) -> Found:
        with _ending_at(self._limits.search_ends):
            if time.monotonic() < self._limits.search_ends:
                self._search_all()
                self._is_late = False
        return Found(
            files=tuple(self._files),
            names=tuple(self._names),
            unreadable=self._unreadable,
            is_late=self._is_late,
            is_full=self._is_full,
        )

    def _search_all(self) -> None:
        for file in (file for root in self._query.roots for file in searched_files(root)):
            if len(self._files) >= MOST_FILES:
                self._is_full = True
                return
            self._search(file)

    def _search(self, file: SearchedFile) -> None:
        if self._query.with_names and self._pattern.search(name_of(file.path)):
            self._names.append(file.path)
        try:
            data = file.read(LARGEST)
        except OSError:
            self._unreadable += 1
            return
        if data and b"\0" not in data and self._may_match(data):
            self._add(file.path, data.decode(errors=_ESCAPE))

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
        try:
            for number, start, found in self._matches(text):
                count += 1
                if count <= most:
                    offset += _size(text[reached:start])
                    reached = start
                    places.append(Place(line=number, offset=offset, column=_size(text[start:found])))
        finally:
            # Also what was found until the time was over.
            if count:
                self._files.append(FileMatches(path=path, count=count, places=tuple(places)))

    def _matches(self, text: str) -> Iterator[tuple[int, int, int]]:
        if self._query.is_regex:
            return _matches_by_line(self._query, text)
        return _matches_of_text(self._pattern, text)


def _size(text: str) -> int:
    return len(text.encode(errors=_ESCAPE))


def _matches_by_line(query: FileQuery, text: str) -> Iterator[tuple[int, int, int]]:
    """Yield the number of each matching line, and where it and the first match in it begin."""
    pattern, start = query.pattern(), 0
    is_text = text.isascii() or not _NO_TEXT.search(text)
    inner = None if is_text else query.inner_pattern()
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        shown = line.removesuffix("\r")
        if found := _search_between(pattern, inner, shown) if inner else pattern.search(shown):
            yield number, start, start + found.start()
        start += len(line) + 1


def _search_between(pattern: re.Pattern[str], inner: re.Pattern[str], line: str) -> re.Match[str] | None:
    """Search a line for a match without bytes that are no text, as ripgrep does."""
    start = 0
    for gap in _NO_TEXT.finditer(line):
        if found := inner.search(line, start, gap.start()):
            return found
        start = gap.end()
    return pattern.search(line, start)


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


class _DeadlineReached(BaseException):
    """The time is over; not an `Exception`, so that no handler of the interrupted code keeps it."""


@contextlib.contextmanager
def _ending_at(deadline: float) -> Iterator[None]:
    """Leave the block at a time of `time.monotonic`, without an error; for main threads only."""
    is_inside = False

    def leave(_signal: int, _frame: object) -> None:
        if is_inside:
            raise _DeadlineReached

    handler = signal.signal(signal.SIGALRM, leave)
    timer = signal.setitimer(signal.ITIMER_REAL, max(deadline - time.monotonic(), _SHORTEST), _AGAIN)
    try:
        with contextlib.suppress(_DeadlineReached):
            is_inside = True
            yield
    finally:
        is_inside = False
        # A timer that was set around the block goes on.
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)
