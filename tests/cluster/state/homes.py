"""Nodes as far as their stores need them: a lease in the table of nodes, and homes that they claim."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.homes.home_claim import claim, give_up
from stringd_cluster.homes.owned_homes import OwnedHomes
from stringd_cluster.membership.live_nodes import Node, join
from stringd_cluster.stores.log_table import LogTable

_LEASE_SECONDS = 60.0


class StoringNode:
    """The pool, the homes and the logs of a node."""

    def __init__(self, name: str, pool: ConnectionPool) -> None:
        self.name = name
        self.pool = pool
        self.homes = OwnedHomes(pool)
        self.logs = LogTable(pool, self.homes)

    async def take(self, user: str) -> None:
        """Claim a home."""
        self.homes.add(user, await claim(self.pool, user, self.name))

    async def give_up(self, user: str) -> None:
        """Leave a home to others."""
        home = self.homes.remove(user)
        assert home
        await give_up(self.pool, user, self.name, home.epoch)


@asynccontextmanager
async def node(url: str, name: str = "ann") -> AsyncIterator[StoringNode]:
    """Add a node to a database that has the tables."""
    pool = ConnectionPool(url, stale_seconds=10)
    await pool.open(name)
    try:
        me = Node(id=name, name=name, address="", labels=frozenset(), is_draining=False)
        await join(pool, me, "1", _LEASE_SECONDS)
        yield StoringNode(name, pool)
    finally:
        pool.terminate()
