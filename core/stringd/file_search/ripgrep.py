"""Search files with ripgrep."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from stringd.file_search.file_query import (
    LARGEST,
    FileMatches,
    FileQuery,
    Found,
    Place,
    SearchLimits,
    in_order,
)
from stringd.processes.program_output import ProgramOutput, output_of
from stringd.workers.threads import READING

_PROGRAM = "rg"
# It respects the `.gitignore` files of the tree, in a repository or not, and no other rules.
_OPTIONS = (
    "--no-config",
    "--color=never",
    "--no-require-git",
    "--no-ignore-dot",
    "--no-ignore-exclude",
    "--no-ignore-global",
    "--null",
)
_SEARCH = ("--with-filename", "--no-heading", "--encoding=none", "--crlf", f"--max-filesize={LARGEST}")
# The text of the lines is left out, as it may be of any length.
_PLACES = (*_SEARCH, "--column", "--byte-offset", "--max-columns=1")
_FEW_BYTES, _MOST_BYTES = 128 * 1024, 16 * 1024 * 1024
_COUNT = re.compile(rb"([^\0]+)\0(\d+)\r?\n")
# An empty match at the end of a line has no column.
_PLACE = re.compile(rb"([^\0]+)\0(\d+):(?:(\d+):)??(\d+):(?:[^\n:]*|:)\n")
# Its messages about unreadable files, between the lines of its output.
_ERROR = re.compile(rb"^rg: [^\n\0]*\(os error \d+\)\n", re.MULTILINE)
# How it exits when something could not be searched, and what it says of an expression that it does not take.
_FAILED, _UNFIT = 2, b"regex"


def program() -> str | None:
    """Return the path of the program, or None if it is not installed."""
    return shutil.which(_PROGRAM)


async def search(program: str, query: FileQuery, limits: SearchLimits) -> Found | None:
    """Search all files within a time limit; None if ripgrep does not accept the expression."""
    left = limits.search_ends - time.monotonic()
    found = await _run(program, _PLACES, query, query.roots, seconds=left, most=_FEW_BYTES)
    is_small = len(found.output) <= _FEW_BYTES
    if not is_small:
        # Counting a great many lines takes a fraction of the time that listing them does.
        left = limits.search_ends - time.monotonic()
        found = await _run(program, (*_SEARCH, "--count"), query, query.roots, seconds=left)
    output, unreadable = _ERROR.subn(b"", found.output)
    if found.status == _FAILED and b"\0" not in output and _UNFIT in output:
        return None
    files = in_order(_listed(output, limits) if is_small else _counted(output))
    if not is_small:
        shown = await _with_places(program, query, files[: limits.files], limits)
        files = [*shown, *files[limits.files :]]
    names = await _files(program, query, limits) if query.with_names else None
    return Found(
        files=tuple(files),
        names=await READING.run(_paths, names.output) if names else (),
        unreadable=unreadable,
        is_late=found.is_late or bool(names and names.is_late),
        is_full=any(it.status is None and not it.is_late for it in (found, names) if it),
    )


async def _with_places(
    program: str, query: FileQuery, files: Sequence[FileMatches], limits: SearchLimits
) -> list[FileMatches]:
    """Return the files with their first places."""
    options = (*_PLACES, f"--max-count={limits.places}")
    listing = await _run(program, options, query, [it.path for it in files], seconds=limits.left / 2)
    places = {it.path: it.places for it in _listed(_ERROR.sub(b"", listing.output), limits)}
    return [replace(it, places=places.get(it.path, ())) for it in files]


async def _files(program: str, query: FileQuery, limits: SearchLimits) -> ProgramOutput:
    """List all files, in half of the time that is left; the other half is for matching their names."""
    return await _run(program, ("--files",), None, query.roots, seconds=limits.left / 2)


def _listed(output: bytes, limits: SearchLimits) -> Iterator[FileMatches]:
    """Yield the files whose matching lines are listed, each with its first places."""
    found: dict[bytes, list[Place]] = {}
    for path, line, column, offset in _PLACE.findall(output):
        place = Place(line=int(line), offset=int(offset), column=int(column or 1) - 1)
        found.setdefault(path, []).append(place)
    for path, places in found.items():
        yield FileMatches(path=os.fsdecode(path), count=len(places), places=tuple(places[: limits.places]))


async def _run(
    program: str,
    options: Sequence[str],
    query: FileQuery | None,
    paths: Sequence[str],
    *,
    seconds: float,
    most: int = _MOST_BYTES,
) -> ProgramOutput:
    pattern = () if query is None else _pattern(query)
    arguments = (program, *_OPTIONS, *options, *pattern, "--", *paths)
    return await output_of(arguments, environment={"PATH": os.defpath}, seconds=seconds, most=most)


def _pattern(query: FileQuery) -> tuple[str, ...]:
    case = "--ignore-case" if query.ignores_case else "--case-sensitive"
    return (case, *(() if query.is_regex else ("--fixed-strings",)), f"--regexp={query.text}")


def _counted(output: bytes) -> Iterator[FileMatches]:
    for path, number in _COUNT.findall(output):
        yield FileMatches(path=os.fsdecode(path), count=int(number))


def _paths(output: bytes) -> tuple[str, ...]:
    # What comes after the last NUL is nothing, or a part of a path.
    return tuple(os.fsdecode(it) for it in _ERROR.sub(b"", output).split(b"\0")[:-1])
