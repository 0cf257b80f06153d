"""Run each command in a task of its own, and find out which command sent which."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any, ParamSpec, TypeVar

from stringd.extensions.containment import call_async
from stringd.sessions.eager_tasks import BegunCoroutine, Returned, start_task

P = ParamSpec("P")
T = TypeVar("T")


async def run_in_task(
    function: Callable[P, Awaitable[T]],
    is_abandoned: Callable[[], bool],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Await a plugin's function in a separate task; cancelling the caller cancels that task.

    A task that cancels itself, or in which a GeneratorExit is raised, ends without a reply, whatever its
    coroutines catch; the caller can then still reply. An abandoned task continues without its caller.
    """
    task = start_task(call_async(function, *args, **kwargs))
    if isinstance(task, Returned):
        return task.value
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
