"""A running command, and its cancellation."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from stringd.api.commands import CommandLine
from stringd.api.runtime import Disconnected
from stringd.sessions.command_tasks import run_in_task
from stringd.text.masking import MASK

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

CLEAN_UP_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A command as sent: its text, time of arrival, request id, and how to detect a disconnected client.

    `line` is the parsed text; None if it has no slash. An urgent command does not wait for its turn.
    """

    text: str
    line: CommandLine | None
    is_urgent: bool
    arrived: float
    disconnected: Disconnected | None
    request_id: str | None


class RunningCommand:
    """A command in the task that runs it.

    `label` is its first line with secrets masked; it is fully masked until its secrets are known.
    """

    __slots__ = ("_ended", "is_abandoned", "is_cancelled", "label", "sent", "task")

    def __init__(self, sent: Sent, task: asyncio.Task[Any]) -> None:
        self.sent = sent
        self.label = MASK
        self.is_cancelled = False
        self.is_abandoned = False
        self.task = task
        self._ended: asyncio.Event | None = None

    async def drive(self, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Await the function of the command in a separate task."""
        return await run_in_task(function, lambda: self.is_abandoned, *args, **kwargs)

    async def cancel(self) -> None:
        """Cancel the command, and wait until it has cleaned up; abandon it if it does not end."""
        self.is_cancelled = True
        await self.stop(CLEAN_UP_SECONDS)

    async def stop(self, seconds: float) -> None:
        """Cancel the command, unless that was done; abandon it after a time limit."""
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
        if self._ended:
            self._ended.set()
