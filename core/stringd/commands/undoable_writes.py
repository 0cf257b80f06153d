"""Write texts as one step that can be undone, in a thread: the step is stored before a file is replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from stringd.api.commands import Invocation
from stringd.api.undo import Step
from stringd.documents.editing.replaced_files import FileChange, remove_directories, replaced_files
from stringd.documents.pages.file_pages import SMALL
from stringd.errors import StorageFailed
from stringd.text.digests import digest_of_data
from stringd.workers.threads import READING

T = TypeVar("T")

# How often a thread that waits for the event loop looks whether there still is one.
_SECONDS = 1.0


class Written(NamedTuple):
    """The size in bytes and the digest of a text that was written."""

    size: int
    digest: str


def write_texts(
    invocation: Invocation,
    changes: Sequence[FileChange],
    charsets: Sequence[str],
    loop: asyncio.AbstractEventLoop,
) -> Mapping[Path, Written]:
    """Write texts to disk while the step is stored, and replace the files once both are done.

    So a crash in between leaves nothing that can't be undone. The `charsets` are those of the files before.
    """
    digests: list[Future[str]] = []
    storing: Future[None] | None = None

    def store(data: bytes) -> None:
        nonlocal storing
        digests.append(_digest(data))
        if len(digests) == len(changes):
            stored = _store(invocation, changes, charsets, digests)
            storing = asyncio.run_coroutine_threadsafe(stored, loop)

    try:
        with replaced_files(changes, store) as sizes:
            if storing:
                _outcome(storing, loop)
    except BaseException:
        for change in changes:
            remove_directories(change.path, change.directories)
        if storing and not loop.is_closed():
            _outcome(asyncio.run_coroutine_threadsafe(_drop(invocation, storing), loop), loop)
        raise
    written = map(Written, sizes, (it.result() for it in digests))
    return dict(zip((it.path for it in changes), written, strict=True))


async def mark_written(invocation: Invocation) -> None:
    """Mark the step as written; it can still be undone if that fails, and the edit has succeeded."""
    with suppress(StorageFailed):
        await invocation.runtime.undo.mark(invocation.session)


def _outcome(future: Future[T], loop: asyncio.AbstractEventLoop) -> T:
    """Return the result of what the event loop runs; fail if the loop is closed without an end of it."""
    while True:
        try:
            return future.result(_SECONDS)
        except TimeoutError:
            if future.done():
                raise
            if loop.is_closed():
                raise StorageFailed("the daemon was stopped meanwhile") from None


def _digest(data: bytes) -> Future[str]:
    """Begin the digest of a text, in another thread if it is long."""
    if len(data) > SMALL:
        return READING.begin(digest_of_data, data)
    digest = Future[str]()
    digest.set_result(digest_of_data(data))
    return digest


async def _store(
    invocation: Invocation,
    changes: Sequence[FileChange],
    charsets: Sequence[str],
    digests: Sequence[Future[str]],
) -> None:
    known: Sequence[str] = await asyncio.gather(*map(asyncio.wrap_future, digests))
    steps = [_step(*it) for it in zip(changes, charsets, known, strict=True)]
    await invocation.runtime.undo.add(invocation.session, *steps)


def _step(change: FileChange, charset: str, digest: str) -> Step:
    return Step(
        path=change.path,
        before=change.before,
        after=digest,
        directories=change.directories,
        charset=charset,
    )


async def _drop(invocation: Invocation, storing: Future[Any]) -> None:
    """Remove the step of an edit that has failed, if it was stored: one that was not written does no harm."""
    try:
        await asyncio.wrap_future(storing)
    except (Exception, asyncio.CancelledError):
        return
    with suppress(StorageFailed):
        await invocation.runtime.undo.drop(invocation.session)
