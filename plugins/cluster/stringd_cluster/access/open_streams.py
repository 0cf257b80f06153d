"""The streams that end with their tokens, which outlive the requests that began them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from stringd.plugin import StorageFailed

VALID = "revoked IS NULL AND (expires IS NULL OR expires > clock_timestamp())"
"""The condition for the tokens that are accepted."""
_LOOK_UP = f"SELECT id FROM stringd.tokens WHERE id = ANY($1::text[]) AND {VALID}"  # noqa: S608 - a constant
OLDEST = 5.0
"""For how many seconds what was read of a token is valid, whatever happens to the database."""
_LOOK_AGAIN = 2.0
_LEAST_PATIENCE = 0.5
Fetch: TypeAlias = Callable[[str, Sequence[object], float], Awaitable[Sequence[Any]]]
"""Runs a query with a list of values; raises `TimeoutError` if it takes more than so many seconds."""


class OpenStreams:
    """Looks at the tokens of open streams every two seconds, and when one has changed.

    Streams whose tokens can't be looked at for too long end: they may have been revoked meanwhile.
    """

    def __init__(self, fetch: Fetch, clock: Callable[[], float]) -> None:
        self._fetch = fetch
        self._clock = clock
        self._ends: dict[str, list[asyncio.Event]] = {}
        self._valid_at: dict[str, float] = {}
        self._changed = asyncio.Event()
        self.watching: asyncio.Task[None] | None = None

    async def ended(self, token_id: str, valid_at: float) -> None:
        """Wait for the end of a token that was valid at a time."""
        end = asyncio.Event()
        self._ends.setdefault(token_id, []).append(end)
        self._valid_at[token_id] = max(valid_at, self._valid_at.get(token_id, valid_at))
        if self.watching is None or self.watching.done():
            self.watching = asyncio.create_task(self._watch())
        elif self._clock() - valid_at > _LOOK_AGAIN:
            self.look()
        try:
            await end.wait()
        finally:
            self._ends[token_id].remove(end)
            if not self._ends[token_id]:
                del self._ends[token_id], self._valid_at[token_id]

    def look(self) -> None:
        """Look at the tokens now."""
        self._changed.set()

    async def _watch(self) -> None:
        while self._ends:
            await self._look_up()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), min(_LOOK_AGAIN, self._patience()))
            self._changed.clear()

    def _patience(self) -> float:
        """Return for how long the tokens may not be looked at."""
        oldest = min(self._valid_at.values(), default=self._clock())
        return max(oldest + OLDEST - self._clock(), _LEAST_PATIENCE)

    async def _look_up(self) -> None:
        asked, asked_at = tuple(self._ends), self._clock()
        try:
            valid = {row["id"] for row in await self._fetch(_LOOK_UP, asked, self._patience())}
        except (StorageFailed, TimeoutError):
            now = self._clock()
            self._end(it for it in asked if now >= self._valid_at.get(it, now) + OLDEST)
            return
        self._valid_at |= {it: asked_at for it in asked if it in self._ends}
        self._end(it for it in asked if it not in valid)

    def _end(self, token_ids: Iterable[str]) -> None:
        for token_id in token_ids:
            for end in self._ends.get(token_id, ()):
                end.set()
