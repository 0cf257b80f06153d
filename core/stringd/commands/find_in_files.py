"""List what `/find` finds in files: by file, each place with its line and a shortcut that opens it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from stringd.api.commands import Invocation
from stringd.api.provenance import BY_HAND, attributed
from stringd.api.replies import Reply
from stringd.api.sessions import State
from stringd.commands.find_arguments import FindRequest
from stringd.documents.paths.text_charsets import UTF_8, charset_around
from stringd.documents.paths.text_files import read_bytes
from stringd.errors import Refusal
from stringd.file_search.file_query import LARGEST, FileMatches, FileQuery, Found, Place, SearchLimits
from stringd.file_search.finder import find_in_files
from stringd.files.typed_paths import lies_in
from stringd.text.escaping import printable, visible_line
from stringd.text.formatting import counted, line_range, shortened
from stringd.workers.threads import READING

MOST_LINES = 50
"""The limit on matching lines that are listed, and on names of files."""
_MOST_FILES, _FEWEST_LINES = 30, 3
_MOST_SHOWN = 200
_SECONDS = 20.0
_AROUND, _LONGEST = 80, 200
# What a shortcut opens around its line.
_ABOVE, _BELOW = 5, 14
_NAMESPACE = "found."
_NO_MATCH = "(none)"
_LINE_END = b"\n"
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_UNSEARCHED = f"Not searched: hidden and ignored files, binary ones, and those over {LARGEST // 1024**2} MiB."
_NARROWER = "search one of the directories, or for something longer"


async def find_files(invocation: Invocation, request: FindRequest) -> Reply:
    """Search the files that the request names, list what was found, and remember the shortcuts."""
    query = FileQuery(
        text=request.text,
        roots=tuple(sorted(it.real for it in request.paths)),
        is_regex=request.regex,
        with_names=request.names,
    )
    found = await find_in_files(query, SearchLimits(files=_MOST_FILES, places=MOST_LINES, seconds=_SECONDS))
    is_missed = not found.files and not found.names
    listing = _Listing(request, found, await request.miss_lines(invocation) if is_missed else ())
    content = await READING.run(listing.text)
    invocation.session.remember(_with_shortcuts(invocation.session.state, listing.targets))
    return Reply.page(_title(request, found), content)


def _with_shortcuts(state: State, targets: Sequence[str]) -> State:
    """Return the state with shortcuts to what was found, in place of those of the search before."""
    kept = {name: it for name, it in state.links.items() if not name.startswith(_NAMESPACE)}
    named = {_name(number): target for number, target in enumerate(targets, 1)}
    return replace(state, links={**kept, **attributed(named, BY_HAND)})


def _title(request: FindRequest, found: Found) -> str:
    where = ", ".join(printable(it.shown) for it in request.paths)
    lines, files = sum(it.count for it in found.files), len(found.files)
    counts = f"{_number(lines)} line{'s' * (lines != 1)} in {_number(files)} file{'s' * (files != 1)}"
    names = f"{counted(len(found.names), 'name')}, " if request.names else ""
    partial = "at least " if found.is_late or found.is_full else ""
    text = shortened(request.text, _AROUND)
    return f"Matches: {visible_line(text)} in {where} ({partial}{names}{counts})"


def _number(number: int) -> str:
    return f"{number:,}"


def _name(number: int) -> str:
    return f"{_NAMESPACE}{number}"


class _Listing:
    """The listing of what was found, and the targets of its shortcuts."""

    def __init__(self, request: FindRequest, found: Found, miss_lines: Sequence[str]) -> None:
        self._request = request
        self._miss_lines = miss_lines
        self._found = found
        self._lines: list[str] = []
        self._places = 0
        self._files = 0
        self.targets: list[str] = []

    def text(self) -> str:
        """Read the files and list their places, as far as the limits allow."""
        names, files = self._found.names[:MOST_LINES], self._found.files[:_MOST_FILES]
        self._lines += [f"{self._shortcut(Path(it).as_uri())} {self._shown(it)}" for it in names]
        share = max(_FEWEST_LINES, MOST_LINES // max(len(files), 1))
        for file in files:
            if self._places < MOST_LINES and len(self._lines) < _MOST_SHOWN:
                self._add(file, min(share, MOST_LINES - self._places))
        return "\n".join((*(self._lines or [_NO_MATCH]), *self._notes()))

    def _add(self, file: FileMatches, most: int) -> None:
        data = _text_of(file.path)
        places = [it for it in file.places if _begins_line(data, it.offset)][:most]
        if not places:
            return
        self._places += len(places)
        self._files += 1
        more = f" ({counted(file.count, 'line')})" if file.count > len(places) else ""
        heading = f"{self._shown(file.path)}{more}"
        self._lines += [*([""] if self._lines else []), heading, *self._rows(file.path, data, places)]

    def _rows(self, path: str, data: bytes, places: Sequence[Place]) -> Iterator[str]:
        """Yield the lines at the places and those around them, with a mark where some are left out."""
        tags = {it.line: self._shortcut(_target(path, data, it)) for it in places}
        columns = {it.line: it.column for it in places}
        lines = _lines_around(data, places, self._request.context)
        charset = _charset(lines.values(), data, path)
        width, digits = max(map(len, tags.values())), len(str(places[-1].line + self._request.context))
        before = 0
        for number, line in sorted(lines.items()):
            if self._request.context and before and number > before + 1:
                yield "…"
            before = number
            mark, shown = ":" if number in tags else "-", self._cut(line, columns.get(number, 0), charset)
            yield f"{tags.get(number, ''):{width}} {number:>{digits}}{mark} {shown}".rstrip()

    def _cut(self, data: bytes, column: int, charset: str) -> str:
        """Return a line, or of a long one what is around the match."""
        line = data.decode(charset, errors="replace")
        before = len(data[:column].decode(charset, errors="ignore"))
        start = max(0, before - _AROUND) if len(line) > _LONGEST else 0
        cut = line[start : start + _LONGEST]
        shown = visible_line(cut.expandtabs(4) if self._request.context else cut.strip())
        return f"{'…' * (start > 0)}{shown}{'…' * (start + _LONGEST < len(line))}"

    def _shortcut(self, target: str) -> str:
        self.targets.append(target)
        return f"@{_name(len(self.targets))}"

    def _shown(self, path: str) -> str:
        """Return the path of a file in terms of the path that was searched."""
        root = next(it for it in self._request.paths if lies_in(path, it.real))
        below = path[len(root.real.rstrip("/")) :].lstrip("/")
        return printable(f"{root.prefix}{below}" if below else root.shown)

    def _notes(self) -> Iterator[str]:
        """Yield what was left out, and why."""
        found = self._found
        lines, files = sum(it.count for it in found.files) - self._places, len(found.files) - self._files
        if lines > 0:
            others = f" in {_number(files)} more files" if files > 0 else ""
            yield f"… and {_number(lines)} more lines{others}: {_NARROWER}"
        if (names := len(found.names) - MOST_LINES) > 0:
            yield f"… and {_number(names)} more names"
        if found.is_late:
            yield f"Out of time ({_SECONDS:g} s): not everything was searched."
        if found.is_full:
            yield "Stopped counting: there are more files that match."
        if found.unreadable:
            yield f"Not readable: {_number(found.unreadable)} of the files."
        if not self.targets:
            yield _UNSEARCHED
            yield from self._miss_lines


def _text_of(path: str) -> bytes:
    """Return the content of a file; nothing of one that is binary or not the user's to read."""
    try:
        data = read_bytes(Path(path), path)
    except Refusal:
        return b""
    return b"" if b"\0" in data else data


def _begins_line(data: bytes, offset: int) -> bool:
    """Whether a line begins there, which it may not if the file was written meanwhile."""
    return offset < len(data) and (offset == 0 or data[offset - 1] == _LINE_END[0])


def _lines_around(data: bytes, places: Sequence[Place], context: int) -> dict[int, bytes]:
    """Return the lines at the places and around them, by their numbers."""
    lines: dict[int, bytes] = {}
    for place in places:
        start, number = place.offset, place.line
        while start and number > place.line - context:
            start, number = data.rfind(_LINE_END, 0, start - 1) + 1, number - 1
        while start < len(data) and number <= place.line + context:
            end = data.find(_LINE_END, start)
            end = len(data) if end < 0 else end
            lines[number] = data[start:end]
            start, number = end + 1, number + 1
    return lines


def _charset(lines: Iterable[bytes], data: bytes, path: str) -> str:
    """Return the charset of a file's lines: UTF-8 if all of them are, else that of what is around one."""
    for line in lines:
        try:
            line.decode()
        except UnicodeDecodeError:
            odd = _NOT_ASCII.search(line)
            return charset_around(data.index(line) + (odd.start() if odd else 0), data, path) or UTF_8
    return UTF_8


def _target(path: str, data: bytes, place: Place) -> str:
    """Return the lines around a place as a target of `/open`."""
    last, start = place.line, place.offset
    while last < place.line + _BELOW and 0 < (start := data.find(_LINE_END, start) + 1) < len(data):
        last += 1
    return Path(path).as_uri() + line_range(max(1, place.line - _ABOVE), last)
