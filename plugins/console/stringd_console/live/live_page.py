"""A view that browsers follow: its regions are rendered once per change, for all of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from stringd.plugin.workers import guarded_call_async
from stringd_console.console_page import View
from stringd_console.live.snapshot import NOTHING, Snapshot

log = logging.getLogger(__name__)


class LivePage:
    """Renders a view again after changes; followers wait for the next snapshot at their own pace."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._snapshot = NOTHING
        self._changed = asyncio.Event()
        self._rendered = asyncio.Event()
        self.has_ended = False

    async def next(self, known: Snapshot) -> Snapshot:
        """Return the latest snapshot once it is not the known one any more, or the view has ended."""
        while self._snapshot is known and not self.has_ended:
            await self._rendered.wait()
        return self._snapshot

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep the view up to date."""
        tasks = [asyncio.create_task(it) for it in (self._watch(), self._render())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._end()

    async def _watch(self) -> None:
        try:
            await guarded_call_async(self._note_changes)
        except Exception:
            log.exception("the changes of the console's page %s can't be followed", self._view.title)
        finally:
            self._end()

    async def _note_changes(self) -> None:
        async with aclosing(self._view.changes()) as changes:
            async for _ in changes:
                self._changed.set()

    async def _render(self) -> None:
        while not self.has_ended:
            self._changed.clear()
            try:
                self._show(Snapshot(await guarded_call_async(self._view.regions)))
            except Exception:
                log.exception("the console's page %s can't be rendered", self._view.title)
            # The first change is shown at once, what follows in batches.
            await asyncio.sleep(self._view.pause)
            await self._changed.wait()

    def _show(self, snapshot: Snapshot) -> None:
        if snapshot.regions != self._snapshot.regions:
            self._snapshot = snapshot
            self._wake()

    def _end(self) -> None:
        self.has_ended = True
        self._wake()

    def _wake(self) -> None:
        rendered, self._rendered = self._rendered, asyncio.Event()
        rendered.set()
