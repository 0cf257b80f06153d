"""Thread pools, one for each kind of work, so that no kind waits behind another.

- `STORAGE` reads and writes the files that a request needs before it is answered.
- `READING` parses texts; topics take turns, and none ever has all of these threads.
- `EDITING` changes files, from reading one to replacing it; topics take turns.
- Each SQLite file has a thread of its own (`storage/database.py`), and so has each name lookup
  (`http_client/name_lookup.py`).
- The blocks of long files that were replaced are freed in one (`files/atomic.py`).
- asyncio's default pool is left to rare work such as starting a browser.

A thread can't be stopped. Large and untrusted texts are parsed in worker processes instead. What a function
raises is raised where it is awaited, as an `Exception`: its future could not carry anything else.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from msgspec import Struct

from stringd.api.workers import Budget, OnParts, Workers
from stringd.workers.fair_queue import FairQueue
from stringd.workers.guarded_calls import call

P = ParamSpec("P")
T = TypeVar("T")

_STORAGE_THREADS, _READING_THREADS, _EDITING_THREADS = 8, 16, 16
_NO_OWNER = ""


class Work(Struct, kw_only=True, eq=False):
    """A command's work: its owner (`user:topic`), and the worker processes for long jobs."""

    owner: str
    workers: Workers
    loop: asyncio.AbstractEventLoop

    async def apart(
        self,
        job: Callable[..., T],
        *arguments: object,
        budget: Budget,
        on_parts: OnParts | None = None,
    ) -> T:
        """Run a job in a worker process; see `Workers`."""
        return await self.workers.run(job, *arguments, owner=self.owner, budget=budget, on_parts=on_parts)


CURRENT_WORK: ContextVar[Work | None] = ContextVar("work", default=None)
"""Set in the task of each command, and thus in all tasks and threads that it starts."""


def current_work() -> Work | None:
    """Return the work that the caller is part of; None outside of commands."""
    return CURRENT_WORK.get()


class Threads:
    """A pool of threads for one kind of work."""

    def __init__(self, name: str, number: int) -> None:
        self._pool = ThreadPoolExecutor(number, f"stringd-{name}")

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in one of the threads and return its result."""
        return await asyncio.wrap_future(self.begin(work, *args, **kwargs))

    @contextlib.asynccontextmanager
    async def within(self, context: contextlib.AbstractContextManager[T]) -> AsyncIterator[T]:
        """Enter and leave a context in the threads."""
        entered = await self.run(context.__enter__)
        try:
            yield entered
        except BaseException as error:
            if not await self.run(context.__exit__, type(error), error, error.__traceback__):
                raise
        else:
            await self.run(context.__exit__, None, None, None)

    def begin(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function in one of the threads, whose result is asked for later."""
        return self._pool.submit(copy_context().run, partial(call, work, *args, **kwargs))


class SharedThreads(Threads):
    """A pool of threads that owners use in turns."""

    def __init__(self, name: str, number: int) -> None:
        super().__init__(name, number)
        self._queue = FairQueue(number)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in one of the threads at its owner's turn, and return its result."""
        current = current_work()
        owner = current.owner if current else _NO_OWNER
        await self._queue.enter(owner)
        job = self.begin(work, *args, **kwargs)
        job.add_done_callback(partial(self._leave, asyncio.get_running_loop(), owner, time.monotonic()))
        return await asyncio.wrap_future(job)

    def _leave(self, loop: asyncio.AbstractEventLoop, owner: str, started: float, _: Future[T]) -> None:
        # A cancelled job still runs in its thread, perhaps until the loop is closed.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(self._queue.leave, owner, time.monotonic() - started)


STORAGE = Threads("storage", _STORAGE_THREADS)
READING = SharedThreads("reading", _READING_THREADS)
EDITING = SharedThreads("editing", _EDITING_THREADS)
