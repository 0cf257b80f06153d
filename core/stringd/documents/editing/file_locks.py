"""One turn at a file at a time, whatever the topics."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")


class FileLocks:
    """A lock for each real path that somebody works on; a path that nobody wants costs nothing."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._locks)

    @asynccontextmanager
    async def hold(self, path: Path) -> AsyncIterator[None]:
        """Keep everyone else from reading, changing and writing this file meanwhile."""
        lock = self._locks.get(path)
        if lock is None:
            lock = self._locks[path] = asyncio.Lock()
        async with lock:
            yield


async def finish(work: Awaitable[T]) -> T:
    """Wait for work that must not be left half done: a cancellation takes effect when it is over."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        # A failure that nobody asks for would be logged as forgotten.
        if not task.cancelled():
            task.exception()
        raise cancelled
    return task.result()
