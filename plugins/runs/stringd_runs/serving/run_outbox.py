"""The messages that wait for one socket: a bounded number, in order, written by one task."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from stringd_runs.messages.run_events import EncodedEvent

LARGEST = 8 * 1024 * 1024
MOST = 10_000
_BATCH = 64 * 1024
# A reader does not see this delay, and waking it for each piece would take longer than sending the piece.
_TOGETHER_SECONDS = 0.002


class RunOutbox:
    """Takes messages without waiting. Above half of its limits, it leaves out pieces of text.

    Beyond them, it discards everything and calls `on_full`. A single message may be larger than the limit.
    """

    def __init__(
        self,
        on_full: Callable[[], None],
        *,
        is_operator: bool = False,
        largest: int = LARGEST,
        most: int = MOST,
    ) -> None:
        self.is_operator = is_operator
        """Whether the client has brought the operator's token."""
        self._on_full = on_full
        self._largest = largest
        self._most = most
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._has_ended = False
        self._changed = asyncio.Event()
        self._has_room = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._taken_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def deliver(self, event: EncodedEvent) -> None:
        """Take an event of a run, or leave it out if it is a piece of text and the client reads slowly.

        Pieces that follow each other closely are sent together.
        """
        if not event.is_piece:
            self.put(event.data)
        elif not self._has_ended and not self._exceeds(self._most // 2, self._largest // 2, event.data):
            self._append(event.data)
            self._wake_soon()

    def put(self, message: bytes) -> None:
        """Take a message, unless the outbox has ended."""
        if self._has_ended:
            return
        if self._waiting and self._exceeds(self._most, self._largest, message):
            self.discard()
            self._on_full()
        else:
            self._append(message)
            self._changed.set()

    async def drained(self) -> None:
        """Return once little waits, or nothing is sent any more."""
        while not self._has_ended and self._exceeds(self._most // 4, self._largest // 4, b""):
            self._has_room.clear()
            await self._has_room.wait()

    def end(self) -> None:
        """Take no more messages; those that wait are still sent."""
        self._has_ended = True
        self._changed.set()
        self._has_room.set()

    def discard(self) -> None:
        """Take no more messages, and send none of those that wait."""
        self._waiting.clear()
        self._size = 0
        self.end()

    async def next_batch(self) -> Sequence[bytes]:
        """Wait for messages and return the next ones; none at the end."""
        while not self._waiting:
            if self._has_ended:
                return ()
            self._changed.clear()
            await self._changed.wait()
        return self._take()

    def _append(self, message: bytes) -> None:
        self._waiting.append(message)
        self._size += len(message)

    def _wake_soon(self) -> None:
        """Have what waits taken at once, or some moments after the last time."""
        if self._timer is None and not self._changed.is_set():
            wait = self._taken_at + _TOGETHER_SECONDS - self._loop.time()
            if wait <= 0:
                self._changed.set()
            else:
                self._timer = self._loop.call_later(wait, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._changed.set()

    def _take(self) -> Sequence[bytes]:
        taken = [self._waiting.popleft()]
        size = len(taken[0])
        while self._waiting and size + len(self._waiting[0]) <= _BATCH:
            taken.append(self._waiting.popleft())
            size += len(taken[-1])
        self._size -= size
        self._taken_at = self._loop.time()
        self._has_room.set()
        return taken

    def _exceeds(self, most: int, largest: int, message: bytes) -> bool:
        return len(self._waiting) >= most or self._size + len(message) > largest
