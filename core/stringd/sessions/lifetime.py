"""The lifetime of a topic's context: entered at its first command, exited when the topic ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from stringd.api.sessions import EndReason, Topic
from stringd.workers.guarded_calls import as_error, call_async

log = logging.getLogger(__name__)

CLOSE_SECONDS = 6.0
CANCEL_SECONDS = 0.5
# The share of the time limit for saving; the rest is for exiting the context.
SAVING_SHARE = 0.5


class TopicLifetime:
    """Enters and exits a topic's context in one task, so that the context may hold a task group."""

    def __init__(self, enter: Callable[[], AbstractAsyncContextManager[Topic]]) -> None:
        self._enter = enter
        self._life: _Life | None = None

    @property
    def current(self) -> Topic | None:
        """The topic, if it has been entered."""
        return self._life.topic if self._life else None

    async def topic(self) -> Topic:
        """Return the topic, after entering its context if necessary; raise what that raises."""
        if self._life is None:
            self._life = _Life()
            self._life.task = asyncio.create_task(self._keep(self._life))
        ready = self._life.ready
        return ready.result() if ready.done() else await asyncio.shield(ready)

    async def close(self, reason: EndReason = EndReason.CLOSE, seconds: float = CLOSE_SECONDS) -> None:
        """Tell the topic why it ends, exit its context, and wait for the exit for a limited time."""
        life = self._life
        if life is None or life.task is None:
            return
        seconds_left = max(seconds - CANCEL_SECONDS, 0)
        life.end(reason, seconds_left * SAVING_SHARE)
        _, pending = await asyncio.wait({life.task}, timeout=seconds_left)
        if pending:
            log.warning("a topic did not end in time and is cancelled")
            life.task.cancel()
            await asyncio.wait({life.task}, timeout=CANCEL_SECONDS)
        self._forget(life)

    async def _keep(self, life: _Life) -> None:
        try:
            async with self._enter() as topic:
                life.topic = _expect_topic(topic)
                life.ready.set_result(topic)
                reason, seconds = await life.ending
                await _announce_end(topic, reason, seconds)
        except BaseException as error:
            self._fail(life.ready, error)
        finally:
            self._forget(life)

    def _forget(self, life: _Life) -> None:
        if self._life is life:
            self._life = None

    def _fail(self, ready: asyncio.Future[Topic], error: BaseException) -> None:
        if not ready.done():
            ready.set_exception(as_error(error))
        elif not isinstance(error, asyncio.CancelledError):
            log.error("the context of a topic failed", exc_info=error)


async def _announce_end(topic: Topic, reason: EndReason, seconds: float) -> None:
    """Let a topic save what should outlive it; log failures, so that its context is exited anyway."""
    try:
        async with asyncio.timeout(seconds):
            await call_async(topic.ending, reason)
    except TimeoutError:
        log.warning("a topic had %.1f s to save what should outlive it, which was not enough", seconds)
    except Exception:
        log.exception("a topic could not save what should outlive it")


def _expect_topic(topic: object) -> Topic:
    if not isinstance(topic, Topic):
        raise TypeError(f"expected a Topic, got {topic!r}")
    return topic


class _Life:
    """One period from entering to exiting the context."""

    def __init__(self) -> None:
        self.ready: asyncio.Future[Topic] = asyncio.get_running_loop().create_future()
        self.ending: asyncio.Future[tuple[EndReason, float]] = asyncio.get_running_loop().create_future()
        self.task: asyncio.Task[None] | None = None
        self.topic: Topic | None = None

    def end(self, reason: EndReason, seconds: float) -> None:
        """Begin to end, with a time limit for saving, unless that has begun."""
        if not self.ending.done():
            self.ending.set_result((reason, seconds))
