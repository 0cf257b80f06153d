"""A topic's queue: one command at a time, first come, first served."""

from __future__ import annotations

import asyncio
from collections import deque

from stringd.api.runtime import Disconnected
from stringd.errors import ClientGone, CommandCancelled, QueueFull, QueueTimeout, Unavailable

MAX_QUEUE_SIZE = 16


class CommandQueue:
    """Passes the turn from one command directly to the next waiting one."""

    def __init__(self, who: str, wait_seconds: float) -> None:
        self._who = who
        self._wait_seconds = wait_seconds
        self._taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._request_ids: dict[asyncio.Future[None], str] = {}
        self._watchers: set[asyncio.Future[None]] = set()

    @property
    def taken(self) -> bool:
        """Whether a command holds the turn."""
        return self._taken

    @property
    def waiting(self) -> int:
        """The number of commands that wait."""
        return len(self._waiting)

    async def take(self, disconnected: Disconnected | None, request_id: str | None = None) -> None:
        """Wait for the caller's turn, which must be followed by `pass_on`; raise where it can't be had.

        While it waits, the caller can be cancelled by the id of its request.
        """
        if not self._taken:
            self._taken = True
            return
        if len(self._waiting) >= MAX_QUEUE_SIZE:
            raise QueueFull(f"Topic {self._who} has {MAX_QUEUE_SIZE} commands queued. Try again later.")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        if request_id is not None:
            self._request_ids[turn] = request_id
        try:
            await self._wait(turn, disconnected)
        except BaseException:
            self._leave(turn)
            raise
        finally:
            self._request_ids.pop(turn, None)

    def pass_on(self) -> None:
        """End the current turn and begin the next one."""
        if self._waiting:
            self._waiting.popleft().set_result(None)
        else:
            self._taken = False
            while self._watchers:
                watcher = self._watchers.pop()
                if not watcher.done():
                    watcher.set_result(None)

    def cancel(self, request_id: str) -> bool:
        """Cancel the first waiting command of a request; return false if there is none."""
        for turn in self._waiting:
            if self._request_ids.get(turn) == request_id:
                self._waiting.remove(turn)
                turn.set_exception(CommandCancelled())
                return True
        return False

    async def idle(self) -> None:
        """Wait until no command holds the turn."""
        if self._taken:
            watcher: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._watchers.add(watcher)
            try:
                await watcher
            finally:
                self._watchers.discard(watcher)

    def refuse_waiting(self, reason: Unavailable) -> None:
        """Refuse all commands that wait."""
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
