"""The daemon's one browser: started on first use, ended when nobody has wanted it for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from stringd.plugin import Refusal

if TYPE_CHECKING:
    from stringd_web.browser.chromium import Chromium

IDLE_SECONDS = 300.0
MOST_PAGES = 4


class Browser:
    """Lends a running Chromium to a few pages at once; one that has crashed is replaced."""

    def __init__(self, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._free = asyncio.Semaphore(MOST_PAGES)
        self._starting = asyncio.Lock()
        self._chromium: Chromium | None = None
        self._users = 0
        self._idle: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def lent(self, deadline: float) -> AsyncIterator[Chromium]:
        """Lend the browser for one page, once there is room for one; refuse where there is none by then."""
        try:
            async with asyncio.timeout_at(deadline):
                await self._free.acquire()
        except TimeoutError:
            message = f"The browser is busy: it has {MOST_PAGES} other pages open."
            raise Refusal("LOAD_ERROR", message, "Try again in a while.") from None
        self._users += 1
        try:
            yield await self._ready()
        finally:
            self._users -= 1
            self._free.release()
            self._plan_end()

    async def keep(self) -> None:
        """End the browser when this task ends."""
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            await self.close()

    async def close(self) -> None:
        """End the browser, if it runs."""
        if self._idle:
            self._idle.cancel()
        chromium, self._chromium = self._chromium, None
        if chromium:
            await chromium.close()

    async def _ready(self) -> Chromium:
        # Few daemons ever need it.
        from stringd_web.browser.chromium import start_chromium

        async with self._starting:
            if self._chromium and self._chromium.devtools.gone.is_set():
                await self.close()
            if self._chromium is None:
                self._chromium = await start_chromium()
            return self._chromium

    def _plan_end(self) -> None:
        if self._idle:
            self._idle.cancel()
        self._idle = asyncio.create_task(self._end_when_idle())

    async def _end_when_idle(self) -> None:
        await asyncio.sleep(self._idle_seconds)
        async with self._starting:
            if not self._users:
                self._idle = None
                await self.close()
