"""The two moments of a shutdown that others wait for: its beginning, and the end of all topics."""

from __future__ import annotations

import asyncio


class ShutdownPhases:
    """The part of a runtime that tells how far its shutdown is."""

    def __init__(self) -> None:
        super().__init__()
        self._stopping = asyncio.Event()
        self._topics_ended = asyncio.Event()

    @property
    def is_stopping(self) -> bool:
        """Whether the daemon has begun to stop."""
        return self._stopping.is_set()

    async def stopping(self) -> None:
        """Return when the daemon begins to stop."""
        await self._stopping.wait()

    async def topics_ended(self) -> None:
        """Return when the daemon stops and all topics have ended and are stored."""
        await self._topics_ended.wait()
