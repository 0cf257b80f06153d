"""Read the events of the other nodes, and publish them here in the order in which they were recorded."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

from stringd.plugin import Events, StorageFailed
from stringd.plugin.events import RecordedEvent
from stringd_cluster.sharing.sharing_node import RETRY_SECONDS, SharingNode

log = logging.getLogger(__name__)

_AT_ONCE = 500
_PAUSE_SECONDS = 0.1
_CHECK_SECONDS = 5.0
_USUAL_CHARACTERS = 200
_NEWEST = "SELECT coalesce(max(id), 0) AS newest FROM events"
_READ = "SELECT id, node, life, kind, payload FROM events WHERE id > $1 ORDER BY id LIMIT $2"
_OLDEST = "SELECT min(id) AS oldest FROM events"
_GONE = "this node could not read them before they were deleted"


class EventReader:
    """Follows the table from the time of its start."""

    def __init__(self, events: Events, node: SharingNode) -> None:
        self._events = events
        self._node = node
        self._arrived = asyncio.Event()
        self._mark: int | None = None

    def notify(self, _: str = "") -> None:
        """Note that there are new events."""
        self._arrived.set()

    async def run(self) -> None:
        """Publish the events of others until cancelled."""
        while True:
            try:
                await self._read_new()
            except StorageFailed as failure:
                log.warning("events of other nodes can't be read yet: %s", failure)
                await asyncio.sleep(RETRY_SECONDS)
                await self._report_gone()
                continue
            await self._wait()

    async def _wait(self) -> None:
        # Notifications may be lost together with their connection.
        try:
            async with asyncio.timeout(_CHECK_SECONDS):
                await self._arrived.wait()
        except TimeoutError:
            pass
        self._arrived.clear()

    async def _read_new(self) -> None:
        if self._mark is None:
            rows = await self._node.pool.fetch(_NEWEST)
            self._mark = int(rows[0]["newest"])
            self._events.note_mark(self._mark)
        while rows := await self._node.pool.fetch(_READ, self._mark, _AT_ONCE):
            for row in rows:
                self._publish(row)
            if len(rows) == _AT_ONCE:
                # Watchers need time to send what the database had kept.
                await asyncio.sleep(_PAUSE_SECONDS)

    def _publish(self, row: Mapping[str, Any]) -> None:
        self._mark = row["id"]
        if row["life"] == self._events.life:
            self._events.note_mark(row["id"])
        else:
            weight = max(len(row["payload"]) - _USUAL_CHARACTERS, 0)
            self._events.publish_recorded(recorded(row), weight)

    async def _report_gone(self) -> None:
        """Publish a `lost` if events were deleted while the database was away."""
        try:
            rows = await self._node.pool.fetch(_OLDEST)
        except StorageFailed:
            return
        oldest = rows[0]["oldest"]
        if self._mark is not None and oldest is not None and oldest > self._mark + 1:
            fields = {"count": None, "reason": _GONE}
            lost = RecordedEvent(mark=self._mark, node=self._node.name, kind="lost", fields=fields)
            self._events.publish_recorded(lost, 0)


def recorded(row: Mapping[str, Any]) -> RecordedEvent:
    """Return what a row of the table says."""
    fields = json.loads(row["payload"])
    return RecordedEvent(mark=row["id"], node=row["node"], kind=fields["kind"], fields=fields)
