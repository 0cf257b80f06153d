"""Whose job is next: that of the owner who has used least lately."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, defaultdict, deque

# After so many seconds, what an owner has used counts half.
_HALF_LIFE = 10.0
_FORGOTTEN = 0.001


class FairQueue:
    """Gives out a fixed number of places. One owner never has all of them while there are several."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._most = max(1, places - 1)
        self._waiting: defaultdict[str, deque[asyncio.Future[None]]] = defaultdict(deque)
        self._having: Counter[str] = Counter()
        self._used: dict[str, tuple[float, float]] = {}

    @property
    def is_waited_for(self) -> bool:
        """Whether somebody waits for a place."""
        return bool(self._waiting)

    async def enter(self, owner: str) -> None:
        """Return when the owner has a place; it must be left again."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting[owner].append(turn)
        self._give_out()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave(owner, 0.0)
            else:
                self._remove(owner, turn)
            raise

    def leave(self, owner: str, seconds: float) -> None:
        """Give a place back that was used for so many seconds."""
        self._having[owner] -= 1
        self._having += Counter()
        self._free += 1
        self._used[owner] = self._usage(owner) + seconds, time.monotonic()
        self._forget()
        self._give_out()

    def _give_out(self) -> None:
        while self._free and (owner := self._next_owner()) is not None:
            turn = self._waiting[owner][0]
            self._remove(owner, turn)
            if not turn.done():
                self._free -= 1
                self._having[owner] += 1
                turn.set_result(None)

    def _next_owner(self) -> str | None:
        eligible = [owner for owner in self._waiting if self._having[owner] < self._most]
        return min(eligible, key=lambda it: (self._having[it], self._usage(it)), default=None)

    def _remove(self, owner: str, turn: asyncio.Future[None]) -> None:
        self._waiting[owner].remove(turn)
        if not self._waiting[owner]:
            del self._waiting[owner]

    def _usage(self, owner: str) -> float:
        used, at = self._used.get(owner, (0.0, 0.0))
        return used * math.exp2((at - time.monotonic()) / _HALF_LIFE)

    def _forget(self) -> None:
        for owner in [it for it in self._used if self._usage(it) < _FORGOTTEN]:
            del self._used[owner]
