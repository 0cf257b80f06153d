"""A queue that shares a fixed number of slots fairly between owners."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque

# The cost of one turn: at least so much, so that cheap turns add up, and at most so much, so that an owner
# whose turn was long waits for a bounded number of others.
_LEAST_SECONDS, _MOST_SECONDS = 0.01, 0.1


class FairQueue:
    """Grants a fixed number of places; if there are several, no owner ever holds all of them.

    Each owner has a virtual time that its turns advance (start-time fair queuing). The owner with the least
    time goes next, and one that starts to wait is set to at least the time of the last one admitted. So each
    owner is admitted after a bounded number of turns, however many others keep coming back.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._most = max(1, places - 1)
        self._waiting: defaultdict[str, deque[asyncio.Future[None]]] = defaultdict(deque)
        self._held: Counter[str] = Counter()
        self._times: dict[str, float] = {}
        self._now = 0.0

    @property
    def is_waited_for(self) -> bool:
        """Whether an owner waits for a place."""
        return bool(self._waiting)

    async def enter(self, owner: str) -> None:
        """Wait until the owner has a place, which must be released by `leave`."""
        turn = asyncio.get_running_loop().create_future()
        self._times[owner] = max(self._now, self._times.get(owner, 0.0))
        self._waiting[owner].append(turn)
        self._grant()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave(owner, 0.0)
            else:
                self._remove(owner, turn)
            raise

    def leave(self, owner: str, seconds: float) -> None:
        """Release a place that was used for some seconds."""
        self._held[owner] -= 1
        if not self._held[owner]:
            del self._held[owner]
        self._free += 1
        self._times[owner] += min(max(seconds, _LEAST_SECONDS), _MOST_SECONDS)
        self._drop_idle_owners()
        self._grant()

    def _grant(self) -> None:
        while self._free and (owner := self._next_owner()) is not None:
            turn = self._waiting[owner][0]
            self._remove(owner, turn)
            if not turn.done():
                self._free -= 1
                self._held[owner] += 1
                self._now = max(self._now, self._times[owner])
                turn.set_result(None)

    def _next_owner(self) -> str | None:
        eligible = [owner for owner in self._waiting if self._held[owner] < self._most]
        return min(eligible, key=lambda it: (self._held[it], self._times[it]), default=None)

    def _remove(self, owner: str, turn: asyncio.Future[None]) -> None:
        self._waiting[owner].remove(turn)
        if not self._waiting[owner]:
            del self._waiting[owner]

    def _drop_idle_owners(self) -> None:
        """Drop the times of idle owners that would start at the current time."""
        busy = self._held.keys() | self._waiting.keys()
        for owner in [it for it, at in self._times.items() if at <= self._now and it not in busy]:
            del self._times[owner]
