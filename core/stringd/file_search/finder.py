"""Search files below directories with the available engine, except stringd's own files."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from stringd.api.workers import Budget
from stringd.errors import ErrorCode, Refusal, WorkStopped
from stringd.file_search import ripgrep
from stringd.file_search.file_query import LARGEST, FileQuery, Found, SearchLimits, in_order
from stringd.file_search.scan import file_named, matching_names, scan
from stringd.files.protected import refuse_file, refuse_path
from stringd.workers.threads import READING, current_work

T = TypeVar("T")

_MEMORY = 1024**3
# Whoever typed a wrong path would type it again meanwhile.
_MOMENT = Budget(seconds=0.5, memory=_MEMORY)
_SIMPLER = "Search fewer files, or for something simpler."


async def find_in_files(query: FileQuery, limits: SearchLimits) -> Found:
    """Return what matches, in order; or refuse an invalid expression, or one that takes too long."""
    query.pattern()
    found = await _with_ripgrep(query, limits)
    if found is None:
        found = await _apart(limits, scan, query, limits)
    return await READING.run(_listable, found)


async def nearest_file(root: str, name: str) -> str | None:
    """Return the path of the least nested file of a name below a directory, if it is found at once."""
    work = current_work()
    if work is not None:
        with contextlib.suppress(WorkStopped):
            return await work.apart(file_named, root, name, budget=_MOMENT)
    return None


def _listable(found: Found) -> Found:
    """Leave out the files of stringd itself, hard links to them, and large ones, if they were searched."""
    sizes = ((it, _size_unless_own(it.path)) for it in in_order(found.files))
    return replace(
        found,
        files=tuple(it for it, size in sizes if size is not None and size <= LARGEST),
        names=tuple(it for it in sorted(set(found.names)) if _size_unless_own(it) is not None),
    )


def _size_unless_own(path: str) -> int | None:
    """Return the size of a file; None for one of stringd itself, or that is gone."""
    try:
        refuse_path(path, path)
        status = os.lstat(path)
        refuse_file(status, path)
    except (OSError, Refusal):
        return None
    return status.st_size


async def _with_ripgrep(query: FileQuery, limits: SearchLimits) -> Found | None:
    program = ripgrep.program() if query.is_portable else None
    found = await ripgrep.search(program, query, limits) if program else None
    if found and found.names:
        names, is_late = await _apart(limits, matching_names, query, found.names, limits)
        return replace(found, names=names, is_late=found.is_late or is_late)
    return found


async def _apart(limits: SearchLimits, job: Callable[..., T], *arguments: object) -> T:
    work = current_work()
    if work is None:
        return job(*arguments)
    try:
        # A job ends by itself before this, if it gets the time that it needs.
        async with asyncio.timeout(limits.left):
            return await work.apart(job, *arguments, budget=Budget(seconds=limits.seconds, memory=_MEMORY))
    except (WorkStopped, TimeoutError) as stopped:
        reason = str(stopped) or f"it takes longer than {limits.seconds:g} s"
        raise Refusal(ErrorCode.TIMEOUT, f"The search was stopped: {reason}", _SIMPLER) from stopped
