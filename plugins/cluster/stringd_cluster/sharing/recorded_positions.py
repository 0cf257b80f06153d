"""Find what a watcher has missed that another node has served so far."""

from __future__ import annotations

from collections.abc import AsyncIterator

from stringd.plugin import Events, StorageFailed
from stringd.plugin.events import ForeignPosition, MissedEvents, RecordedEvent
from stringd_cluster.sharing.event_reader import recorded
from stringd_cluster.sharing.event_writer import EventWriter
from stringd_cluster.sharing.sharing_node import SharingNode

_AT_ONCE = 200
# One statement sees one state of the table.
_STATE = """
SELECT coalesce((SELECT max(id) FROM events), 0) AS newest, (SELECT min(id) FROM events) AS oldest,
       coalesce((SELECT max(seq) FROM events WHERE life = $1), 0) AS own
"""
_READ = """
SELECT id, node, kind, payload FROM events
WHERE id > $1 AND id <= $2 AND NOT (life = $3 AND seq <= $4) ORDER BY id LIMIT $5
"""


class RecordedPositions:
    """Looks positions up in the table of events."""

    def __init__(self, events: Events, node: SharingNode, writer: EventWriter) -> None:
        self._events = events
        self._node = node
        self._writer = writer

    async def missed(self, position: ForeignPosition) -> MissedEvents:
        """Return what was recorded after a position; raise `LookupError` if the database is away."""
        last, written = self._events.last, self._writer.written
        try:
            row = await self._node.pool.fetchrow(_STATE, self._events.life)
        except StorageFailed as failure:
            raise LookupError(position.life) from failure
        own = max(row["own"], written)
        return MissedEvents(
            events=self._read(position, row["newest"]),
            mark=row["newest"],
            own=own,
            after=min(last, own),
            has_lost=row["oldest"] is not None and row["oldest"] > position.mark + 1,
        )

    async def _read(self, position: ForeignPosition, newest: int) -> AsyncIterator[RecordedEvent]:
        mark = position.mark
        while True:
            rows = await self._node.pool.fetch(_READ, mark, newest, position.life, position.seq, _AT_ONCE)
            for row in rows:
                yield recorded(row)
            if len(rows) < _AT_ONCE:
                return
            mark = rows[-1]["id"]
