"""A topic's life: entered at its first command, left when the topic ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from stringd.contracts.sessions import Topic

log = logging.getLogger(__name__)

CLOSE_SECONDS = 2.0


class Keeper:
    """Enters and leaves a topic's context in one task of its own, so that a task group may live inside it."""

    def __init__(self, enter: Callable[[], AbstractAsyncContextManager[Topic]]) -> None:
        self._enter = enter
        self._ready: asyncio.Future[Topic] | None = None
        self._task: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()

    async def topic(self) -> Topic:
        """Return the topic, entering it first where it isn't; a failure to enter it is raised here."""
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._ending.clear()
            self._task = asyncio.create_task(self._keep(self._ready))
        return self._ready.result() if self._ready.done() else await asyncio.shield(self._ready)

    async def close(self) -> None:
        """Leave the topic and wait until it has been left, within limits."""
        task, self._task, self._ready = self._task, None, None
        if task is None:
            return
        self._ending.set()
        _, pending = await asyncio.wait({task}, timeout=CLOSE_SECONDS)
        if pending:
            log.warning("a topic did not end within %s s and is cancelled", CLOSE_SECONDS)
            task.cancel()
            await asyncio.wait({task}, timeout=CLOSE_SECONDS)

    async def _keep(self, ready: asyncio.Future[Topic]) -> None:
        try:
            async with self._enter() as topic:
                ready.set_result(topic)
                await self._ending.wait()
        except BaseException as error:
            self._fail(ready, error)
        finally:
            if self._ready is ready:
                self._ready = self._task = None

    def _fail(self, ready: asyncio.Future[Topic], error: BaseException) -> None:
        if not ready.done():
            ready.set_exception(error if isinstance(error, Exception) else RuntimeError(repr(error)))
        elif not isinstance(error, asyncio.CancelledError):
            log.error("a topic ended by itself", exc_info=error)
