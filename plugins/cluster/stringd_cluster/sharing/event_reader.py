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
# One statement sees one state of the table. What this node has published itself is only counted.
_READ = """
WITH newest AS (SELECT coalesce(max(id), 0) AS id FROM events)
SELECT events.id, node, kind, payload, newest.id AS newest
FROM newest LEFT JOIN events ON events.id > $1 AND events.id <= newest.id AND life <> $3
ORDER BY events.id LIMIT $2
"""
_OLDEST = "SELECT min(id) AS oldest FROM events"
_LOST = json.dumps({"count": None, "reason": "this node could not read them before they were deleted"})


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
        while True:
            rows = await self._node.pool.fetch(_READ, self._mark, _AT_ONCE, self._events.life)
            for row in rows:
                if row["id"] is not None:
                    self._publish(row)
            if len(rows) < _AT_ONCE:
                self._mark = max(self._mark, rows[-1]["newest"])
                self._events.note_mark(self._mark)
                return
            # Watchers need time to send what the database had kept.
            await asyncio.sleep(_PAUSE_SECONDS)

    def _publish(self, row: Mapping[str, Any]) -> None:
        self._mark = row["id"]
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
            lost = RecordedEvent(mark=self._mark, node=self._node.name, kind="lost", payload=_LOST)
            self._events.publish_recorded(lost, 0)


def recorded(row: Mapping[str, Any]) -> RecordedEvent:
    """Return what a row of the table says."""
    return RecordedEvent(mark=row["id"], node=row["node"], kind=row["kind"], payload=row["payload"])
