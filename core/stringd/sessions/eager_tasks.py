"""Tasks that run their coroutine up to its first suspension at once, so that nobody waits for a short one.

asyncio has eager tasks from Python 3.12 on. These work in Python 3.11, too, with the functions that asyncio
documents for implementations of tasks.
"""

from __future__ import annotations

import asyncio
from asyncio.tasks import _enter_task, _leave_task
from collections.abc import Coroutine, Generator
from contextvars import copy_context
from typing import Any, Generic, TypeVar

from msgspec import Struct

T = TypeVar("T")
# `await` sets this attribute of futures, and tasks reset it, in all implementations of futures.
_MARK = "_asyncio_future_blocking"
# Takes the place of a coroutine that has ended: resuming it ends its task.
_ENDED: Generator[Any, None, Any] = (step for step in range(0))
next(_ENDED, None)


class Returned(Struct, Generic[T], frozen=True):
    """What a coroutine returned that was not suspended."""

    value: T


def start_task(
    coroutine: Coroutine[Any, None, T], caller: asyncio.Task[Any] | None
) -> asyncio.Task[T] | Returned[T]:
    """Run a coroutine in a new task up to its first suspension; return its value instead if it has ended.

    The new task is the current one from the first line on; until then, that is `caller`. What the coroutine
    raises by then is raised here.
    """
    loop = asyncio.get_running_loop()
    context = copy_context()
    begun = BegunCoroutine(coroutine, caller)
    task = loop.create_task(begun, context=context)
    if caller:
        _leave_task(loop, caller)
    _enter_task(loop, task)
    try:
        returned = context.run(begun.begin)
    finally:
        _leave_task(loop, task)
        if caller:
            _enter_task(loop, caller)
    if returned and task.cancelling():
        raise asyncio.CancelledError
    return returned or task


class BegunCoroutine(Coroutine[Any, None, T], Generic[T]):
    """A coroutine that took its first step before its task did; `caller` is the task that started it.

    The task's own first step only waits for what the coroutine awaits; if that has ended, so does the task.
    """

    # It has no reference to its task, which refers to it, so that both are freed as soon as they have ended.
    def __init__(self, coroutine: Coroutine[Any, None, T], caller: asyncio.Task[Any] | None) -> None:
        self._coroutine: Coroutine[Any, None, T] | Generator[Any, None, T] = coroutine
        self._awaited: Any = None
        self.caller = caller

    def begin(self) -> Returned[T] | None:
        """Run to the first suspension; return what the coroutine returns if it ends before."""
        try:
            self._awaited = _marked(self._coroutine.send(None), is_new=False)
        except StopIteration as end:
            self._coroutine = _ENDED
            self.send = _ENDED.send  # type: ignore[assignment, method-assign]
            return Returned(end.value)
        except BaseException:
            self._coroutine = _ENDED
            raise
        return None

    def send(self, value: None) -> Any:
        """Return what the coroutine awaits, in the task's first step."""
        awaited = self._hand_over()
        return self._coroutine.send(value) if awaited is None else _marked(awaited, is_new=True)

    def throw(self, *error: Any) -> Any:
        """Cancel what the coroutine awaits, or else raise an exception in it, in the task's first step."""
        awaited = self._hand_over()
        if asyncio.isfuture(awaited) and awaited.cancel():
            return _marked(awaited, is_new=True)
        return self._coroutine.throw(*error)

    def close(self) -> None:
        """Close the coroutine."""
        self._coroutine.close()

    def _hand_over(self) -> Any:
        """Let the task resume the coroutine directly from now on; return what the coroutine awaits."""
        self.send = self._coroutine.send  # type: ignore[assignment, method-assign]
        self.throw = self._coroutine.throw  # type: ignore[method-assign]
        awaited, self._awaited = self._awaited, None
        return awaited

    def __await__(self) -> Generator[Any, None, T]:
        """Refuse: only the task runs the coroutine."""
        raise TypeError("await the task of this coroutine")


def _marked(awaited: Any, *, is_new: bool) -> Any:
    """Mark a future as one that a task has yet to take, or as taken, so that other tasks may await it."""
    if asyncio.isfuture(awaited):
        setattr(awaited, _MARK, is_new)
    return awaited
