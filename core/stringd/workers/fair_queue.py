"""Give out a fixed number of places in turns that are fair between owners."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque

# What one turn counts: at least so much, so that cheap turns add up, and at most so much, so that an owner
# whose turn was long waits for a bounded number of others.
_LEAST_SECONDS, _MOST_SECONDS = 0.01, 0.1


class FairQueue:
    """Give out a fixed number of places; one owner never has all of them while there are several.

    Each owner has a time of its own that its turns advance (start-time fair queuing): the owner whose time is
    least goes next, and one that begins to wait is never behind the last owner that was let in. So everybody
    who waits is let in after a bounded number of turns, however many others keep coming back.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._most = max(1, places - 1)
        self._waiting: defaultdict[str, deque[asyncio.Future[None]]] = defaultdict(deque)
        self._having: Counter[str] = Counter()
        self._times: dict[str, float] = {}
        self._now = 0.0

    @property
    def is_waited_for(self) -> bool:
        """Whether somebody waits for a place."""
        return bool(self._waiting)

    async def enter(self, owner: str) -> None:
        """Return when the owner has a place; it must be left again."""
        turn = asyncio.get_running_loop().create_future()
        self._times[owner] = max(self._now, self._times.get(owner, 0.0))
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
        self._times[owner] += min(max(seconds, _LEAST_SECONDS), _MOST_SECONDS)
        self._forget()
        self._give_out()

    def _give_out(self) -> None:
        while self._free and (owner := self._next_owner()) is not None:
            turn = self._waiting[owner][0]
            self._remove(owner, turn)
            if not turn.done():
                self._free -= 1
                self._having[owner] += 1
                self._now = max(self._now, self._times[owner])
                turn.set_result(None)

    def _next_owner(self) -> str | None:
        eligible = [owner for owner in self._waiting if self._having[owner] < self._most]
        return min(eligible, key=lambda it: (self._having[it], self._times[it]), default=None)

    def _remove(self, owner: str, turn: asyncio.Future[None]) -> None:
        self._waiting[owner].remove(turn)
        if not self._waiting[owner]:
            del self._waiting[owner]

    def _forget(self) -> None:
        """Drop the times of owners that would begin anew now."""
        busy = self._having.keys() | self._waiting.keys()
        for owner in [it for it, at in self._times.items() if at <= self._now and it not in busy]:
            del self._times[owner]
