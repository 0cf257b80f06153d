"""Work that goes on when the task that awaits it no longer waits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Generator
from functools import partial
from typing import Any, Generic, TypeVar

from stringd.errors import Refusal

T = TypeVar("T")

log = logging.getLogger(__name__)


class Detachable(Generic[T]):
    """Awaits something in the awaiting task; once detached, a task of its own carries on with it.

    That costs nothing until it is needed, other than a task for every command.
    """

    __slots__ = ("_is_detached", "_rest", "_steps")

    def __init__(self, awaitable: Awaitable[T]) -> None:
        self._steps = awaitable.__await__()
        self._is_detached = False
        self._rest: asyncio.Task[T] | None = None

    def detach(self) -> None:
        """Let what is thrown next end the waiting, while the work gets it in a task of its own."""
        self._is_detached = True

    def __await__(self) -> Generator[Any, None, T]:
        return (yield from self._drive(partial(self._steps.send, None)))

    def _drive(self, step: partial[Any]) -> Generator[Any, None, T]:
        steps = self._steps
        proceed = partial(steps.send, None)
        while True:
            try:
                awaited = step()
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                yield awaited
            except BaseException as error:
                if self._is_detached and self._rest is None:
                    self._rest = asyncio.create_task(self._finish(error))
                    self._rest.add_done_callback(_report)
                    raise
                step = partial(steps.throw, error)
            else:
                step = proceed

    async def _finish(self, error: BaseException) -> T:
        return await _Driven(self._drive(partial(self._steps.throw, error)))


class _Driven(Generic[T]):
    """The rest of the work as something to await."""

    __slots__ = ("_rest",)

    def __init__(self, rest: Generator[Any, None, T]) -> None:
        self._rest = rest

    def __await__(self) -> Generator[Any, None, T]:
        return self._rest


def _report(rest: asyncio.Task[Any]) -> None:
    error = None if rest.cancelled() else rest.exception()
    if error and not isinstance(error, Refusal):
        log.warning("a command that was cancelled has failed at last", exc_info=error)
