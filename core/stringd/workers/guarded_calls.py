"""Calls of plugin functions that contain every exception, including those that would stop the daemon.

Some exceptions are signals: `StopIteration` to generators and futures, `CancelledError` to tasks,
`SystemExit` and `KeyboardInterrupt` to the event loop. A plugin that raises one of them has failed, as with
any other exception.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_UNCARRIED = (StopIteration, StopAsyncIteration, CancelledError)
"""Those which are an `Exception`; the last one cancels whoever awaits the future of a thread."""


class PluginFailed(Exception):
    """A plugin function raised an exception that tasks and futures cannot carry; it is the cause."""


def as_error(error: BaseException) -> Exception:
    """Return the exception, wrapped if tasks and futures cannot carry it."""
    if isinstance(error, Exception) and not isinstance(error, _UNCARRIED):
        return error
    failed = PluginFailed(f"raised {error!r}")
    failed.__cause__ = error
    return failed


def is_signal(error: BaseException) -> bool:
    """Whether an exception comes from the event loop: the task is cancelled, or its coroutine is closed."""
    if not isinstance(error, asyncio.CancelledError | GeneratorExit):
        return False
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return True
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def call(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a plugin function; whatever it raises is re-raised as an `Exception`."""
    try:
        return function(*args, **kwargs)
    except BaseException as error:
        _raise(error)
        raise


async def call_async(function: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Await a plugin function; whatever it raises except a cancellation is re-raised as an `Exception`."""
    try:
        return await function(*args, **kwargs)
    except BaseException as error:
        if not is_signal(error):
            _raise(error)
        raise


def _raise(error: BaseException) -> None:
    """Raise the replacement of an exception that must not propagate; return if it may."""
    carried = as_error(error)
    if carried is not error:
        raise carried
