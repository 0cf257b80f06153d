"""The streams that end with their tokens, which outlive the requests that began them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from stringd.plugin import StorageFailed

VALID = "revoked IS NULL AND (expires IS NULL OR expires > clock_timestamp())"
"""The condition for the tokens that are accepted."""
_LOOK_UP = f"SELECT id FROM stringd.tokens WHERE id = ANY($1::text[]) AND {VALID}"  # noqa: S608 - a constant
_LOOK_AGAIN = 2.0


class OpenStreams:
    """Looks at the tokens of open streams every two seconds, and when one has changed."""

    def __init__(self, fetch: Callable[[str, Sequence[object]], Awaitable[Sequence[Any]]]) -> None:
        self._fetch = fetch
        self._ends: dict[str, list[asyncio.Event]] = {}
        self._changed = asyncio.Event()
        self.watching: asyncio.Task[None] | None = None

    async def ended(self, token_id: str) -> None:
        """Wait for the end of a token."""
        end = asyncio.Event()
        self._ends.setdefault(token_id, []).append(end)
        if self.watching is None or self.watching.done():
            self.watching = asyncio.create_task(self._watch())
        try:
            await end.wait()
        finally:
            self._ends[token_id].remove(end)
            if not self._ends[token_id]:
                del self._ends[token_id]

    def look(self) -> None:
        """Look at the tokens now."""
        self._changed.set()

    async def _watch(self) -> None:
        while self._ends:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _LOOK_AGAIN)
            self._changed.clear()
            await self._look_up()

    async def _look_up(self) -> None:
        asked = tuple(self._ends)
        try:
            valid = {row["id"] for row in await self._fetch(_LOOK_UP, asked)}
        except (StorageFailed, TimeoutError):
            # Without the database, the node soon gives up its homes, and their streams end with them.
            return
        for token_id in asked:
            if token_id not in valid:
                for end in self._ends.get(token_id, ()):
                    end.set()
