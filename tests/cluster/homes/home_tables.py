"""The homes of a cluster in a real database, and nodes that claim them without being daemons."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

from stringd.plugin import StorageFailed
from stringd_cluster.engine.cluster_schema import create_schema
from stringd_cluster.engine.database_pool import ConnectionPool, connect
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.homes.home_claim import claim
from stringd_cluster.homes.owned_homes import OwnedHomes
from stringd_cluster.membership.live_nodes import Node, join
from stringd_cluster.stores.cluster_stores import ClusterStores

STALE_SECONDS = 10
_MAKE = "INSERT INTO cluster (id, ca_certificate, ca_key, home_policy) VALUES (gen_random_uuid(), '', '', $1)"
_EXPIRE = "UPDATE nodes SET expires = clock_timestamp() - interval '1 second' WHERE id = $1"


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a test in an event loop, for at most half a minute."""
    asyncio.run(asyncio.wait_for(test(), 30))


class Claimer:
    """A node as the database knows it, with its pool, homes and stores."""

    def __init__(self, url: str, node: Node) -> None:
        self.id = node.id
        self.pool = ConnectionPool(url, stale_seconds=STALE_SECONDS)
        self.notifications = Notifications(url)
        self.homes = OwnedHomes(self.pool)
        self.stores = ClusterStores(self.pool, self.homes, self.notifications, node.name)

    async def claim(self, user_id: str) -> int:
        """Claim a home; return its epoch."""
        epoch = await claim(self.pool, user_id, self.id)
        self.homes.add(user_id, epoch)
        return epoch

    async def reconnect(self) -> None:
        """Get over the end of its connections, which a claim of its homes causes."""
        while True:
            with suppress(StorageFailed):
                await self.pool.execute("SELECT 1")
                return

    async def expire(self, pool: ConnectionPool | None = None) -> None:
        """Let its lease be over, as another node's pool can do it, too."""
        await (pool or self.pool).execute(_EXPIRE, self.id)


class Claimers:
    """Nodes with one database."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._nodes: list[Claimer] = []

    async def node(
        self, name: str, *, labels: frozenset[str] = frozenset(), is_draining: bool = False
    ) -> Claimer:
        """Add a node with a lease of a minute."""
        node = Node(id=f"{name}-1", name=name, address="", labels=labels, is_draining=is_draining)
        claimer = Claimer(self._url, node)
        self._nodes.append(claimer)
        await claimer.pool.open(node.id)
        await join(claimer.pool, node, "1", 60)
        if is_draining:
            await claimer.pool.execute("UPDATE nodes SET is_draining = true WHERE id = $1", node.id)
        return claimer

    def close(self) -> None:
        """Drop all connections."""
        for it in self._nodes:
            it.pool.terminate()


@asynccontextmanager
async def claimers(url: str, *, policy: str = "shared") -> AsyncIterator[Claimers]:
    """Make the tables of a cluster without nodes."""
    connection = await connect(url)
    await create_schema(connection)
    await connection.execute(f"SET search_path TO stringd; {_MAKE.replace('$1', repr(policy))}")
    await connection.close()
    nodes = Claimers(url)
    try:
        yield nodes
    finally:
        nodes.close()
