"""Lines and blocks of files that are too large to be read as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from msgspec import Struct

from stringd.documents.editing.edits import length_line
from stringd.documents.paths.file_failures import LIMIT, read_failures
from stringd.documents.paths.text_charsets import charset_of_lines, remember_charset
from stringd.documents.syntax.blocks import slug
from stringd.errors import ErrorCode, NoSuchFile, Refusal
from stringd.files.open_directory import status_of
from stringd.files.regular_files import open_file
from stringd.text.formatting import line_range, listed, nearest_first

LARGEST = 4 * 1024**3
"""The size limit of files that are edited in part."""
_CHUNK = 1024 * 1024
_SAMPLE = 64 * 1024
_LONGEST_LINE = 4096
_LINE_END = b"\n"
_MARKED = re.compile(
    rb"[ ]{0,3}(?:(?P<fence>`{3,}|~{3,})|(?P<marks>#{1,6})[ \t]+(?P<text>[^\r\n]+)"
    rb"|<!--\s*(?P<mark>[#/])(?P<id>[\w.-]+)\s*-->\s*\Z)"
)
_OWN_ID = re.compile(r"\s*\{#([\w.-]+)\}\s*\Z")


class LargePart(Struct, frozen=True, kw_only=True):
    """Whole lines of a large file: their span in bytes, and the number of the first."""

    start: int
    end: int
    first: int


class _Boundary(Struct, frozen=True, kw_only=True):
    """A heading with its level, or a marker that begins or ends a block: its line and the bytes of that."""

    id: str
    level: int
    begins: bool
    number: int
    start: int
    end: int


def is_large(path: Path) -> bool:
    """Whether a file is too large to be read as a whole, but not to be edited in part."""
    try:
        status = status_of(path)
    except (OSError, Refusal):
        return False
    return status is not None and LIMIT < status.st_size <= LARGEST


def large_state(path: Path) -> str:
    """Return what changes whenever a large file does, which stands for its text."""
    try:
        status = path.lstat()
    except OSError:
        return ""
    return f"large file {status.st_ino} {status.st_size} {status.st_mtime_ns}"


def file_digest(path: Path, shown: str) -> str:
    """Return the SHA-256 of a file; that of nothing for one that is gone."""
    digest = sha256()
    with suppress(NoSuchFile), _opened(path, shown) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def count_lines(path: Path, shown: str) -> int:
    """Return the number of lines of a file."""
    count, is_ended = 0, True
    with _opened(path, shown) as file:
        while chunk := file.read(_CHUNK):
            count, is_ended = count + chunk.count(_LINE_END), chunk.endswith(_LINE_END)
    return count + (not is_ended)


def read_part(path: Path, shown: str, part: LargePart) -> bytes:
    """Return the bytes of a part, or refuse one that is too large itself."""
    if part.end - part.start > LIMIT:
        raise Refusal(ErrorCode.INVALID_TARGET, f"These lines have more than {LIMIT // 1024**2} MiB: {shown}")
    with _opened(path, shown) as file:
        file.seek(part.start)
        return file.read(part.end - part.start)


def large_charset(path: Path, shown: str) -> str:
    """Return the charset of a large file by its beginning, or refuse one that is no text by lines."""
    with _opened(path, shown) as file:
        charset = charset_of_lines(file.read(_SAMPLE), str(path))
    if charset is None:
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a text file whose lines can be edited: {shown}")
    remember_charset(str(path), charset)
    return charset


def find_lines(path: Path, shown: str, first: int, last: int) -> LargePart:
    """Find lines, counted from 1 and the last one included, or refuse."""
    start = end = None
    behind = reached = 0
    is_ended = True
    with _opened(path, shown) as file:
        while end is None and (chunk := file.read(_CHUNK)):
            ends = chunk.count(_LINE_END)
            if start is None and behind <= first - 1 <= behind + ends:
                start = reached + _behind_lines(chunk, first - 1 - behind)
            if behind < last <= behind + ends:
                end = reached + _behind_lines(chunk, last - behind)
            behind, reached, is_ended = behind + ends, reached + len(chunk), chunk.endswith(_LINE_END)
    count = behind + (not is_ended)
    if end is None and last == count:
        end = reached
    if start is None or end is None or not 1 <= first <= last:
        near = line_range(min(max(first, 1), count), min(max(first, last, 1), count))
        message = f"No such lines: {line_range(first, last)}"
        raise Refusal(ErrorCode.LINE_OUT_OF_RANGE, message, length_line(count), f"nearest: {near}")
    return LargePart(start=start, end=end, first=first)


def find_block(path: Path, shown: str, wanted: str, *, with_heading: bool) -> LargePart:
    """Find the content of a block or section without blank lines around it, or refuse.

    Markers and headings are found line by line, outside of fences.
    """
    with _opened(path, shown) as file:
        boundaries = list(_boundaries(file))
        file.seek(0, 2)
        size = file.tell()
        place = next((number for number, it in enumerate(boundaries) if it.begins and it.id == wanted), None)
        if place is None:
            raise _unknown_block(wanted, boundaries)
        block = boundaries[place]
        end = next((it.start for it in boundaries[place + 1 :] if _ends(it, block)), size)
        if block.level and with_heading:
            return LargePart(start=block.start, end=_without_blanks(file, block.end, end), first=block.number)
        return _trimmed(file, block, end)


def _ends(boundary: _Boundary, block: _Boundary) -> bool:
    """Whether a boundary ends a block or a section."""
    if block.level:
        return 0 < boundary.level <= block.level
    return not boundary.begins and boundary.id == block.id


def _trimmed(file: BinaryIO, block: _Boundary, end: int) -> LargePart:
    """Return the lines behind a boundary, without blank ones at their beginning and end."""
    start, number = block.end, block.number + 1
    file.seek(start)
    while start < end and not (line := file.readline(_LONGEST_LINE)).strip():
        start, number = start + len(line), number + 1
    if start >= end:
        return LargePart(start=block.end, end=block.end, first=block.number + 1)
    return LargePart(start=start, end=_without_blanks(file, start, end), first=number)


def _without_blanks(file: BinaryIO, start: int, end: int) -> int:
    """Return the end of the last line of a span that is not blank."""
    first = max(start, end - _SAMPLE)
    file.seek(first)
    tail = file.read(end - first)
    written = len(tail.rstrip())
    line_end = tail.find(_LINE_END, written)
    return first + (line_end + 1 if line_end >= 0 else len(tail))


def _boundaries(file: BinaryIO) -> Iterator[_Boundary]:
    place, number, fence, begins_line = 0, 0, b"", True
    while line := file.readline(_LONGEST_LINE):
        start, is_beginning = place, begins_line
        place, begins_line = place + len(line), line.endswith(_LINE_END)
        number += is_beginning
        found = _MARKED.match(line) if is_beginning else None
        if found and (mark := found["fence"]):
            if not fence:
                fence = mark
            elif mark.startswith(fence) and not line.strip().strip(mark[:1]):
                fence = b""
        elif found and not fence:
            level = len(found["marks"] or b"")
            begins = level > 0 or found["mark"] == b"#"
            name = _heading_id(found["text"]) if level else found["id"].decode(errors="replace")
            yield _Boundary(id=name, level=level, begins=begins, number=number, start=start, end=place)


def _heading_id(text: bytes) -> str:
    shown = text.decode(errors="replace").rstrip().rstrip("#").rstrip()
    own = _OWN_ID.search(shown)
    return own[1] if own else slug(shown)


def _unknown_block(wanted: str, boundaries: Sequence[_Boundary]) -> Refusal:
    names = nearest_first(wanted, dict.fromkeys(it.id for it in boundaries if it.begins and it.id))
    available = listed([f"#{it}" for it in names], "/find finds more") or "(none)"
    return Refusal(ErrorCode.BLOCK_NOT_FOUND, f"Block not found: #{wanted}", f"available: {available}")


def _behind_lines(chunk: bytes, number: int) -> int:
    """Return where the line behind so many line ends of a chunk begins."""
    place = 0
    for _ in range(number):
        place = chunk.index(_LINE_END, place) + 1
    return place


@contextmanager
def _opened(path: Path, shown: str) -> Iterator[BinaryIO]:
    with read_failures(shown), open_file(path) as raw, BufferedReader(raw, _CHUNK) as file:
        yield cast("BinaryIO", file)
