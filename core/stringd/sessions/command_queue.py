"""A topic's queue: one command at a time, first come first served (seed 1, "Queue behavior")."""

from __future__ import annotations

import asyncio
from collections import deque

from stringd.api.runtime import Disconnected
from stringd.errors import ClientGone, QueueFull, QueueTimeout, Unavailable

MAX_QUEUE_SIZE = 16


class CommandQueue:
    """Hands the turn from one command to the next; between the two nobody else can take it."""

    def __init__(self, who: str, wait_seconds: float) -> None:
        self._who = who
        self._wait_seconds = wait_seconds
        self._taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._watchers: set[asyncio.Future[None]] = set()

    @property
    def taken(self) -> bool:
        """Whether a command has the turn."""
        return self._taken

    @property
    def waiting(self) -> int:
        """How many commands wait."""
        return len(self._waiting)

    async def take(self, disconnected: Disconnected | None) -> None:
        """Return when it is the caller's turn; `pass_on` must follow. Raises when it never will be."""
        if not self._taken:
            self._taken = True
            return
        if len(self._waiting) >= MAX_QUEUE_SIZE:
            raise QueueFull(f"Topic {self._who} has {MAX_QUEUE_SIZE} commands queued. Try again later.")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await self._wait(turn, disconnected)
        except BaseException:
            self._leave(turn)
            raise

    def pass_on(self) -> None:
        """End the current turn."""
        if self._waiting:
            self._waiting.popleft().set_result(None)
        else:
            self._taken = False
            while self._watchers:
                watcher = self._watchers.pop()
                if not watcher.done():
                    watcher.set_result(None)

    async def idle(self) -> None:
        """Return when nobody has the turn."""
        if self._taken:
            watcher: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._watchers.add(watcher)
            try:
                await watcher
            finally:
                self._watchers.discard(watcher)

    def refuse_waiting(self, reason: Unavailable) -> None:
        """Answer everyone who waits."""
        while self._waiting:
            self._waiting.popleft().set_exception(reason)

    async def _wait(self, turn: asyncio.Future[None], disconnected: Disconnected | None) -> None:
        leaving = asyncio.ensure_future(disconnected()) if disconnected else None
        try:
            await asyncio.wait(
                {turn, leaving} if leaving else {turn},
                timeout=self._wait_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if leaving and leaving.done():
                raise ClientGone
        finally:
            if leaving:
                leaving.cancel()
        if not turn.done():
            raise QueueTimeout("Timed out waiting in queue.")
        turn.result()

    def _leave(self, turn: asyncio.Future[None]) -> None:
        if turn in self._waiting:
            self._waiting.remove(turn)
        elif turn.exception() is None:
            self.pass_on()
