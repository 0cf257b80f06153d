"""Write the events of this node to the table that all nodes read, in batches and in their order."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from itertools import islice

from stringd.plugin import DaemonStopping, EventFilter, Events, Lost, Output, Published, StorageFailed
from stringd.plugin.events import encode_event
from stringd_cluster.sharing.sharing_node import RETRY_SECONDS, SharingNode

log = logging.getLogger(__name__)

MOST_WAITING = 2000
_MOST_AT_ONCE = 500
_BATCH_SECONDS = 0.05
_MOST_CHARACTERS = 1024 * 1024
# One text for each column: the driver takes longer for the elements of an array than for their events.
_APPEND = r"""
SELECT append_events($1, $2, string_to_array($3, E'\n', '')::bigint[],
                     string_to_array($4, E'\n'), string_to_array($5, E'\n'))
"""


class EventWriter:
    """Writes what the bus hands out, at most every 50 ms; commands never wait for it.

    While the database is away, a bounded number waits here, and others in the bus as long as that keeps
    them; then a `lost` takes their place.
    """

    def __init__(self, events: Events, node: SharingNode) -> None:
        self._events = events
        self._node = node
        self._waiting: deque[Published] = deque()
        self._taken = 0
        self.written = 0
        """The number up to which all events have been written, except `Output` that nobody wanted."""
        self._arrived = asyncio.Event()
        self._has_room = asyncio.Event()
        self._wanted = asyncio.Event()
        self._woken = asyncio.Event()
        self._others_want_output = False
        self._is_stopping = False
        self._has_ended = False

    def want_output(self, wanted: bool) -> None:
        """Write `Output`, too, or no more, as watchers at other nodes want it."""
        if wanted != self._others_want_output:
            self._others_want_output = wanted
            self._wanted.set()
            self._woken.set()

    async def run(self) -> None:
        """Write all events until the daemon has stopped, and what is left then."""
        writing = asyncio.create_task(self._write_all())
        try:
            while not self._has_ended:
                self._wanted.clear()
                await self._take_kept()
                await self._take_until_changed()
            self._arrived.set()
            await writing
        finally:
            writing.cancel()

    async def _take_kept(self) -> None:
        """Take events in batches, which hardly costs commands anything, until `Output` is wanted."""
        while not (self._others_want_output or self._is_stopping):
            self._woken.clear()
            self._events.at_next(self._woken.set)
            if self._events.last <= self._taken:
                await self._woken.wait()
            await asyncio.sleep(_BATCH_SECONDS)
            self._add_kept()
            await self._await_room()

    def _add_kept(self) -> None:
        last, count = self._events.last, 0
        for published in islice(self._events.kept(self._taken), MOST_WAITING):
            count += 1
            if isinstance(published.event, Output):
                self._taken = published.seq or self._taken
            else:
                self._add(published)
        if count < MOST_WAITING:
            self._taken = last

    async def _await_room(self) -> None:
        while len(self._waiting) >= MOST_WAITING:
            self._has_room.clear()
            await self._has_room.wait()

    async def _take_until_changed(self) -> None:
        """Take events until the watch ends, or other kinds are wanted."""
        tasks = [asyncio.create_task(it) for it in (self._take(), self._changed())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _changed(self) -> None:
        await self._wanted.wait()

    async def _take(self) -> None:
        kinds = frozenset(self._events.kinds)
        wanted = EventFilter(kinds=kinds if self._others_want_output else kinds - {Output.kind})
        # A watch that was too slow has been closed; what it has missed is still with the bus, or lost.
        with self._events.watch(wanted, after=self._taken) as watch:
            async for published in watch:
                self._add(published)
                await self._await_room()
        self._has_ended = self._is_stopping

    def _add(self, published: Published) -> None:
        event = published.event
        if published.seq is None and isinstance(event, Lost) and event.count is None:
            # The watch ends, and the next one goes on in its place.
            return
        self._taken = published.seq or self._taken
        self._is_stopping = isinstance(event, DaemonStopping) or self._is_stopping
        self._waiting.append(published)
        self._arrived.set()

    async def _write_all(self) -> None:
        while self._waiting or not self._has_ended:
            if not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
            elif not await self._write(self._batch()):
                await asyncio.sleep(RETRY_SECONDS)

    def _batch(self) -> list[tuple[Published, str]]:
        batch: list[tuple[Published, str]] = []
        size = 0
        for published in self._waiting:
            batch.append((published, _encoded(published)))
            size += len(batch[-1][1])
            if len(batch) == _MOST_AT_ONCE or size > _MOST_CHARACTERS:
                break
        return batch

    async def _write(self, batch: list[tuple[Published, str]]) -> bool:
        try:
            await self._node.pool.execute(_APPEND, self._node.name, self._events.life, *_columns(batch))
        except StorageFailed as failure:
            log.warning("%d events can't be shared yet: %s", len(self._waiting), failure)
            return False
        for _ in batch:
            self._waiting.popleft()
        self.written = next((it.seq for it, _ in reversed(batch) if it.seq), self.written)
        self._has_room.set()
        return True


def _columns(batch: list[tuple[Published, str]]) -> tuple[str, str, str]:
    """Return the numbers, kinds and texts of events, in lines: none of them has a line end."""
    return (
        "\n".join([str(it.seq or "") for it, _ in batch]),
        "\n".join([it.event.kind for it, _ in batch]),
        "\n".join([payload for _, payload in batch]),
    )


def _encoded(published: Published) -> str:
    try:
        return encode_event(published.seq, published.event).decode()
    except ValueError:
        lost = Lost(count=1, reason=f"an event {published.event.kind} could not be written as JSON")
        return encode_event(published.seq, lost).decode()
