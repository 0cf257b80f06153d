"""Locks that serialize the edits of a file across topics."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

from stringd.api.effects import FileChange, permit

T = TypeVar("T")


class FileLocks:
    """Locks by real path, kept only while they are in use."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._locks)

    @asynccontextmanager
    async def hold(self, path: Path) -> AsyncIterator[None]:
        """Hold the lock of a file that is to be changed; raises `Refusal` if a guard does not permit it."""
        await permit(FileChange(path=path))
        lock = self._locks.get(path)
        if lock is None:
            lock = self._locks[path] = asyncio.Lock()
        async with lock:
            yield


async def finish(work: Awaitable[T]) -> T:
    """Run work that must not be interrupted; a cancellation takes effect when it is done."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        # Retrieve the exception, which asyncio would otherwise log as never retrieved.
        if not task.cancelled():
            task.exception()
        raise cancelled
    return task.result()
