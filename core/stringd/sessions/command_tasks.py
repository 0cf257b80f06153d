"""The tasks in which commands run: wait for one, and find out which command sent which."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from stringd.sessions.eager_tasks import BegunCoroutine

T = TypeVar("T")


async def wait_for_task(task: asyncio.Task[T], is_abandoned: Callable[[], bool]) -> T:
    """Return the result of a task, which is cancelled with the caller, unless it is abandoned."""
    task.add_done_callback(_retrieve_exception)
    while not task.done():
        # Unlike `await task`, waiting for a separate future ends immediately when the caller is cancelled.
        waiter = asyncio.get_running_loop().create_future()
        task.add_done_callback(partial(_wake, waiter))
        try:
            await waiter
        except asyncio.CancelledError:
            if is_abandoned():
                raise
            task.cancel()
    return task.result()


def command_tasks() -> Iterator[asyncio.Task[Any]]:
    """Yield the current task, the task that runs it as a command, and so on to the outermost."""
    task = asyncio.current_task()
    while task:
        yield task
        coroutine = task.get_coro()
        task = coroutine.caller if isinstance(coroutine, BegunCoroutine) else None


def _retrieve_exception(task: asyncio.Task[Any]) -> None:
    """Mark the exception of a task as retrieved, since nobody else does if it is abandoned."""
    if not task.cancelled():
        task.exception()


def _wake(waiter: asyncio.Future[None], _: object) -> None:
    if not waiter.done():
        waiter.set_result(None)
