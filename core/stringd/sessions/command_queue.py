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

    def take_free(self) -> bool:
        """Take the turn if no command holds it; it must be followed by `pass_on`."""
        if self._taken:
            return False
        self._taken = True
        return True

    async def take(self, disconnected: Disconnected | None, request_id: str | None = None) -> None:
        """Wait for the caller's turn, which must be followed by `pass_on`; raise where it can't be had.

        While it waits, the caller can be cancelled by the id of its request.
        """
        if self.take_free():
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
        while self._waiting:
            turn = self._waiting.popleft()
            # The turn of a command that is cancelled is done before the command leaves the queue.
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False
        while self._watchers:
            watcher = self._watchers.pop()
            if not watcher.done():
                watcher.set_result(None)

    def cancel(self, request_id: str) -> bool:
        """Cancel the first waiting command of a request; return false if there is none."""
        for turn in self._waiting:
            if self._request_ids.get(turn) == request_id:
                self._refuse(turn, CommandCancelled())
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
            self._refuse(self._waiting[0], reason)

    async def _wait(self, turn: asyncio.Future[None], disconnected: Disconnected | None) -> None:
        late = QueueTimeout("Timed out waiting in queue.")
        timer = asyncio.get_running_loop().call_later(self._wait_seconds, self._refuse, turn, late)
        leaving = asyncio.ensure_future(disconnected()) if disconnected else None
        if leaving:
            leaving.add_done_callback(lambda _: self._refuse(turn, ClientGone()))
        try:
            await turn
            if leaving and leaving.done():
                raise ClientGone
        finally:
            timer.cancel()
            if leaving:
                leaving.cancel()

    def _refuse(self, turn: asyncio.Future[None], reason: Exception) -> None:
        if turn in self._waiting:
            self._waiting.remove(turn)
            if not turn.done():
                turn.set_exception(reason)

    def _leave(self, turn: asyncio.Future[None]) -> None:
        if turn in self._waiting:
            self._waiting.remove(turn)
        elif not turn.cancelled() and turn.exception() is None:
            self.pass_on()
