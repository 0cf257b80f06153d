"""What has changed at other nodes, which this one reads again until that succeeds."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from stringd.plugin import StorageFailed

log = logging.getLogger(__name__)

_RETRY_SECONDS = 0.5


class ChangesElsewhere:
    """Handles each change at another node once the database can be used; `failure` is logged until then."""

    def __init__(self, handle: Callable[[str], Awaitable[None]], failure: str) -> None:
        self._handle = handle
        self._failure = failure
        # In the order of the changes; each is handled once, however often it was told meanwhile.
        self._waiting: dict[str, None] = {}
        self._handling: asyncio.Task[None] | None = None

    def add(self, key: str) -> None:
        """Handle a change soon."""
        self._waiting[key] = None
        if self._handling is None or self._handling.done():
            self._handling = asyncio.ensure_future(self._handle_waiting())

    async def _handle_waiting(self) -> None:
        has_failed = False
        while self._waiting:
            key = next(iter(self._waiting))
            del self._waiting[key]
            try:
                await self._handle(key)
            except StorageFailed as failure:
                if not has_failed:
                    log.warning("%s yet: %s", self._failure, failure)
                has_failed = True
                self._waiting[key] = None
                await asyncio.sleep(_RETRY_SECONDS)
            except Exception:
                log.exception("%s: %s is left until it changes again", self._failure, key)
