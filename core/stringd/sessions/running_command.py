"""A running command, and its cancellation."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from typing import Any, NamedTuple, TypeVar

from stringd.api.commands import CommandLine
from stringd.api.runtime import Disconnected
from stringd.sessions.command_tasks import wait_for_task
from stringd.sessions.eager_tasks import Returned, start_task
from stringd.text.masking import MASK

T = TypeVar("T")

log = logging.getLogger(__name__)

CLEAN_UP_SECONDS = 5.0


class Sent(NamedTuple):
    """A command as sent: its text, time of arrival, request id, and how to detect a disconnected client.

    `shown` is the text without passwords in URLs, and `first_line` its first line, as it may be shown once it
    is known to have no other secrets. `line` is the parsed text; None if it has no slash. An urgent command
    does not wait for its turn. `failure` is why it could not be told whether it is urgent.
    """

    text: str
    shown: str
    first_line: str
    line: CommandLine | None
    is_urgent: bool
    arrived: float
    disconnected: Disconnected | None
    request_id: str | None
    failure: Exception | None = None


class RunningCommand:
    """A command in the task that runs it.

    `label` is its first line with secrets masked; it is fully masked until its secrets are known.
    """

    __slots__ = ("_ended", "is_abandoned", "is_cancelled", "is_over", "label", "sent", "task")

    def __init__(self, sent: Sent, task: asyncio.Task[Any]) -> None:
        self.sent = sent
        self.label = MASK
        self.is_cancelled = False
        self.is_abandoned = False
        self.is_over = False
        self.task = task
        self._ended: asyncio.Event | None = None

    async def drive(self, coroutine: Coroutine[Any, None, T]) -> T:
        """Await the coroutine of the command in a separate task; cancelling the caller cancels that task.

        A task that cancels itself ends without a reply, whatever its coroutines catch; the caller can then
        still reply.
        """
        task = start_task(coroutine, caller=self.task)
        if isinstance(task, Returned):
            return task.value
        return await wait_for_task(task, lambda: self.is_abandoned)

    async def cancel(self) -> None:
        """Cancel the command, and wait until it has cleaned up; abandon it if it does not end."""
        self.is_cancelled = True
        await self.stop(CLEAN_UP_SECONDS)

    async def stop(self, seconds: float) -> None:
        """Cancel the command, unless that was done or it is over; abandon it after a time limit."""
        if self.is_over:
            return
        if self._ended is None:
            self._ended = asyncio.Event()
            self.task.cancel()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        if not self._ended.is_set():
            self._abandon()
            await self._ended.wait()

    def _abandon(self) -> None:
        """Let the client's task end without the command, which continues in its own task."""
        if not self.is_abandoned:
            log.warning("%s does not end when it is cancelled, and is abandoned", self.label)
            self.is_abandoned = True
            self.task.cancel()

    def end(self) -> None:
        """Note that the command has ended."""
        self.is_over = True
        if self._ended:
            self._ended.set()
