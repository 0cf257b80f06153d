"""Which threads there are, and for whom they work: nobody waits behind work of another kind.

- `STORAGE` is for what is on disk before a request is answered, and for what is read to be edited.
- `READING` is for all that takes texts apart, in turns: no topic ever has all of these threads.
- A SQLite file has one of its own (`database.py`), and so has each lookup of a name (`http/lookups.py`).
- Those of asyncio are left to what is rare: starting a browser, and the like.

What a stranger has written, or what is large, is no work for a thread, which can't be stopped: it goes to a
worker process.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

from stringd.api.workers import Budget, Workers
from stringd.workers.fair_queue import FairQueue

P = ParamSpec("P")
T = TypeVar("T")

_STORING, _READING = 8, 16
_NOBODY = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """For whom something is done (`user:topic`), and the processes that can do what takes long."""

    owner: str
    workers: Workers
    loop: asyncio.AbstractEventLoop

    async def apart(self, job: Callable[..., T], *arguments: object, budget: Budget) -> T:
        """Have a job done in a worker process; see `Workers`."""
        return await self.workers.run(job, *arguments, owner=self.owner, budget=budget)


_work: ContextVar[Work | None] = ContextVar("work", default=None)


def current_work() -> Work | None:
    """Return for whom something is done here; None outside of commands."""
    return _work.get()


@contextlib.contextmanager
def working_for(owner: str, workers: Workers) -> Iterator[None]:
    """Do what follows for an owner, in whichever threads."""
    work = Work(owner=owner, workers=workers, loop=asyncio.get_running_loop())
    before = _work.set(work)
    try:
        yield
    finally:
        _work.reset(before)


class Threads:
    """Some threads for one kind of work."""

    def __init__(self, name: str, number: int) -> None:
        self._pool = ThreadPoolExecutor(number, f"stringd-{name}")

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in one of the threads and return its result."""
        return await asyncio.wrap_future(self._submitted(partial(work, *args, **kwargs)))

    def _submitted(self, work: Callable[[], T]) -> Future[T]:
        return self._pool.submit(copy_context().run, work)


class SharedThreads(Threads):
    """Threads that those for whom something is done take in turns."""

    def __init__(self, name: str, number: int) -> None:
        super().__init__(name, number)
        self._queue = FairQueue(number)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in one of the threads when it is its owner's turn, and return its result."""
        current = current_work()
        owner = current.owner if current else _NOBODY
        await self._queue.enter(owner)
        job = self._submitted(partial(work, *args, **kwargs))
        job.add_done_callback(partial(self._leave, asyncio.get_running_loop(), owner, time.monotonic()))
        return await asyncio.wrap_future(job)

    def _leave(self, loop: asyncio.AbstractEventLoop, owner: str, began: float, _: Future[T]) -> None:
        # A thread goes on although nobody waits for it any more, perhaps until the loop is closed.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(self._queue.leave, owner, time.monotonic() - began)


STORAGE = Threads("storage", _STORING)
READING = SharedThreads("reading", _READING)
