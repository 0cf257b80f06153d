"""A run that browsers watch: its story is kept up to date by its feed, in slices that block nobody."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator
from typing import Any

import orjson

from stringd.plugin import User
from stringd.plugin.workers import READING
from stringd_runs.messages.run_events import EncodedEvent
from stringd_runs.run_pages.run_story import RunStory
from stringd_runs.run_pages.story_events import follow
from stringd_runs.running.run_refused import RunRefused
from stringd_runs.running.runs import Runs

log = logging.getLogger(__name__)

_SLICE = 100
"""How many events are taken at a time."""
_LARGE = 256 * 1024
"""Larger events are decoded in a thread."""
_MOST_WAITING = 2_000
_MOST_WAITING_BYTES = 16 * 1024 * 1024


class WatchedRun:
    """Follows one run from its first event on; implements `Subscriber`."""

    is_operator = False
    """The pages that are open count as an operator by themselves."""

    def __init__(self, runs: Runs, user: User, run_id: str) -> None:
        self.user = user
        self.run_id = run_id
        self.story = RunStory()
        self.draft = ""
        """What the person typed as the task before looking at the prepared run."""
        self.failure: RunRefused | None = None
        self._runs = runs
        self._inbox: deque[EncodedEvent] = deque()
        self._waiting = 0
        self._arrived = asyncio.Event()
        self._taken = asyncio.Event()
        self._changed = asyncio.Event()
        self._is_subscribed = False
        self._tasks = [asyncio.create_task(it) for it in (self._subscribe(), self._take())]

    @property
    def is_up_to_date(self) -> bool:
        """Whether everything that has happened so far is in the story."""
        return self.failure is not None or (self._is_subscribed and not self._inbox)

    def deliver(self, event: EncodedEvent) -> None:
        """Take an event; pieces of text are left out when too much waits, since the whole text follows."""
        if event.is_piece and self._is_full:
            return
        self._inbox.append(event)
        self._waiting += len(event.data)
        self._arrived.set()

    async def drained(self) -> None:
        """Return once there is room for stored events."""
        while self._is_full:
            self._taken.clear()
            await self._taken.wait()

    async def settled(self, seconds: float) -> None:
        """Return when the story is up to date, or after a number of seconds."""
        try:
            async with asyncio.timeout(seconds):
                while not self.is_up_to_date:
                    self._taken.clear()
                    await self._taken.wait()
        except TimeoutError:
            return

    async def changes(self) -> AsyncGenerator[object, None]:
        """Yield after each change."""
        while True:
            changed = self._changed
            await changed.wait()
            yield changed

    def note_change(self) -> None:
        """Have the page rendered again."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def close(self) -> None:
        """Follow the run no longer."""
        self._runs.unsubscribe(self.user, self.run_id, self)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def _is_full(self) -> bool:
        return len(self._inbox) > _MOST_WAITING or self._waiting > _MOST_WAITING_BYTES

    async def _subscribe(self) -> None:
        try:
            await self._runs.subscribe(self.user, self.run_id, self, after_seq=0)
        except RunRefused as refused:
            self.failure = refused
        self._is_subscribed = True
        self._taken.set()
        self.note_change()

    async def _take(self) -> None:
        while True:
            self._arrived.clear()
            while self._inbox:
                await self._take_slice()
                self._taken.set()
                self.note_change()
                await asyncio.sleep(0)
            await self._arrived.wait()

    async def _take_slice(self) -> None:
        for _ in range(_SLICE):
            if not self._inbox:
                return
            event = self._inbox.popleft()
            self._waiting -= len(event.data)
            if len(event.data) > _LARGE:
                follow(self.story, await READING.run(_decoded, event.data))
            else:
                follow(self.story, _decoded(event.data))


def _decoded(data: bytes) -> dict[str, Any]:
    try:
        message = orjson.loads(data)
    except ValueError:
        log.debug("an event of a run is no JSON")
        return {}
    return message if isinstance(message, dict) else {}
