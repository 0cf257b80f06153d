"""The requests of one connection that take time: one after the other for each run, otherwise concurrently."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

MOST_OUTSTANDING = 32


class TooManyRequests(Exception):
    """Too many requests of a connection wait for something."""


class RequestQueue:
    """Runs the requests that wait, those about one run one after the other."""

    def __init__(self) -> None:
        self._outstanding: set[asyncio.Task[None]] = set()
        self._latest: dict[str, asyncio.Task[None]] = {}

    def is_waiting(self, run_id: str | None) -> bool:
        """Whether a request about a run is outstanding, so that the next one has to wait for it."""
        return run_id in self._latest

    def add(self, run_id: str | None, handle: Callable[[], Awaitable[None]]) -> None:
        """Handle a request once those about the same run have been; raise `TooManyRequests`."""
        if len(self._outstanding) >= MOST_OUTSTANDING:
            raise TooManyRequests
        previous = self._latest.get(run_id) if run_id is not None else None
        task = asyncio.create_task(_after(previous, handle))
        self._outstanding.add(task)
        if run_id is not None:
            self._latest[run_id] = task
        task.add_done_callback(lambda _: self._forget(run_id, task))

    async def finished(self) -> None:
        """Return when all requests have been handled."""
        while self._outstanding:
            await asyncio.wait(self._outstanding)

    def _forget(self, run_id: str | None, task: asyncio.Task[None]) -> None:
        self._outstanding.discard(task)
        if run_id is not None and self._latest.get(run_id) is task:
            del self._latest[run_id]


async def _after(previous: asyncio.Task[None] | None, handle: Callable[[], Awaitable[None]]) -> None:
    if previous is not None:
        await asyncio.wait((previous,))
    await handle()
