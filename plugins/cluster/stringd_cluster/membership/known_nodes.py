"""The live nodes as this node knows them, without asking the database each time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping

from stringd.plugin import StorageFailed
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.membership.boot_clock import boot_time
from stringd_cluster.membership.live_nodes import Node, live_nodes

log = logging.getLogger(__name__)

_LEAST_SECONDS = 0.02
_EMPTY: Mapping[str, Node] = {}


class KnownNodes:
    """Is told of the live nodes at each renewal, and reads them when they change or a lease may be over."""

    def __init__(self, pool: ConnectionPool, notifications: Notifications) -> None:
        self.by_id = _EMPTY
        self._pool = pool
        self._callbacks: list[Callable[[], None]] = []
        self._expiry: asyncio.TimerHandle | None = None
        self._reading: asyncio.Task[None] | None = None
        notifications.listen("stringd_nodes", lambda _: self._read_soon())

    def when_changed(self, callback: Callable[[], None]) -> None:
        """Call back after nodes have come, gone or changed."""
        self._callbacks.append(callback)

    def update(self, nodes: Mapping[str, Node]) -> None:
        """Take over the nodes that were just read."""
        before, self.by_id = self.by_id, nodes
        self._watch_leases(nodes.values())
        if before != nodes:
            for callback in self._callbacks:
                callback()

    def forget(self) -> None:
        """Know no nodes, as this one has no part in the cluster for now."""
        self.update(_EMPTY)

    async def read(self) -> None:
        """Read the nodes now, or raise `StorageFailed`."""
        self.update(await live_nodes(self._pool))

    def _watch_leases(self, nodes: Iterable[Node]) -> None:
        """Look again when the first lease may be over: that is not announced."""
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        first = min((it.until for it in nodes), default=None)
        if first is not None:
            delay = max(_LEAST_SECONDS, first - boot_time())
            self._expiry = asyncio.get_running_loop().call_later(delay, self._read_soon)

    def _read_soon(self) -> None:
        if self.by_id and (self._reading is None or self._reading.done()):
            self._reading = asyncio.ensure_future(self._try_to_read())

    async def _try_to_read(self) -> None:
        try:
            await self.read()
        except StorageFailed as failure:
            # The next renewal tells them.
            log.debug("the nodes can't be read: %s", failure)
