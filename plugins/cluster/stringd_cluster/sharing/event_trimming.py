"""Keep the table of events small: delete the oldest, by age and by number."""

from __future__ import annotations

import asyncio
import logging

from stringd.plugin import StorageFailed
from stringd_cluster.sharing.sharing_node import SharingNode

log = logging.getLogger(__name__)

MOST_EVENTS = 50_000
_MOST_SECONDS = 3600.0
_PAUSE_SECONDS = 10.0
# The newest event stays, whatever its age: ids below it are known to be gone.
TRIM = """
DELETE FROM events WHERE id < (SELECT max(id) FROM events) AND (
    id <= (SELECT max(id) FROM events) - $1 OR id <= (
        SELECT max(id) FROM events WHERE recorded < clock_timestamp() - $2 * interval '1 second'
    )
)
"""


async def trim_events(
    node: SharingNode, most: int = MOST_EVENTS, seconds: float = _MOST_SECONDS, pause: float = _PAUSE_SECONDS
) -> None:
    """Trim the table again and again, until cancelled."""
    while True:
        await asyncio.sleep(pause)
        try:
            await node.pool.execute(TRIM, most, seconds)
        except StorageFailed as failure:
            log.debug("old events can't be deleted yet: %s", failure)
