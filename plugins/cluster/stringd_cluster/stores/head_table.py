"""The heads of the chains of a node, in the database."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.plugin.stores import ChainHead
from stringd_cluster.engine.database_pool import ConnectionPool

_RECORD = """
INSERT INTO heads VALUES ($1, $2, $3, $4, clock_timestamp()) ON CONFLICT (node, chain) DO UPDATE
SET number = excluded.number, digest = excluded.digest, at = excluded.at WHERE heads.number < excluded.number
"""
_OF_NODE = "SELECT chain, number, digest FROM heads WHERE node = $1 ORDER BY chain"


class HeadTable:
    """Keeps the heads of the chains of a node; implements `ChainHeads`."""

    def __init__(self, pool: ConnectionPool, node: str) -> None:
        self._pool = pool
        self._node = node

    async def record(self, chain: str, head: ChainHead) -> None:
        """Keep the head of a chain, unless a later one is kept."""
        await self._pool.execute(_RECORD, self._node, chain, head.number, head.digest)

    async def heads(self) -> Mapping[str, ChainHead]:
        """Return the heads of all chains of the node."""
        rows = await self._pool.fetch(_OF_NODE, self._node)
        return {it["chain"]: ChainHead(number=it["number"], digest=it["digest"]) for it in rows}
