"""The daemon's shared Chromium: started on first use, stopped when idle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from stringd.plugin import ErrorCode, Refusal

if TYPE_CHECKING:
    from stringd_web.browser.chromium_launch import Chromium

IDLE_SECONDS = 300.0
MAX_PAGES = 4


class Browser:
    """Lends a running Chromium to a limited number of pages; restarts it after a crash."""

    def __init__(self, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._free_slots = asyncio.Semaphore(MAX_PAGES)
        self._starting = asyncio.Lock()
        self._chromium: Chromium | None = None
        self._users = 0
        self._idle_timer: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def borrow(self, deadline: float) -> AsyncIterator[Chromium]:
        """Borrow the browser for one page, waiting for a free slot until the deadline."""
        try:
            async with asyncio.timeout_at(deadline):
                await self._free_slots.acquire()
        except TimeoutError:
            message = f"The browser is busy: it has {MAX_PAGES} other pages open."
            raise Refusal(ErrorCode.LOAD_ERROR, message, "Try again in a while.") from None
        self._users += 1
        try:
            yield await self._running_chromium()
        finally:
            self._users -= 1
            self._free_slots.release()
            self._start_idle_timer()

    @asynccontextmanager
    async def keep_page(self) -> AsyncIterator[Chromium]:
        """Borrow the browser for a page that stays open, beside those that are loaded."""
        self._users += 1
        try:
            yield await self._running_chromium()
        finally:
            self._users -= 1
            self._start_idle_timer()

    async def close(self) -> None:
        """Stop the browser if it is running."""
        if self._idle_timer:
            self._idle_timer.cancel()
        chromium, self._chromium = self._chromium, None
        if chromium:
            await chromium.close()

    async def _running_chromium(self) -> Chromium:
        # Imported lazily: few daemons need it.
        from stringd_web.browser.chromium_launch import start_chromium

        async with self._starting:
            if self._chromium and self._chromium.devtools.gone.is_set():
                await self.close()
            if self._chromium is None:
                self._chromium = await start_chromium()
            return self._chromium

    def _start_idle_timer(self) -> None:
        if self._idle_timer:
            self._idle_timer.cancel()
        self._idle_timer = asyncio.create_task(self._stop_when_idle())

    async def _stop_when_idle(self) -> None:
        await asyncio.sleep(self._idle_seconds)
        async with self._starting:
            if not self._users:
                self._idle_timer = None
                await self.close()
