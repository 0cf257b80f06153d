"""Where an operator is attached, and where output is watched: told to all nodes, and asked of them."""

from __future__ import annotations

from typing import NamedTuple

from stringd_cluster.sharing.sharing_node import SharingNode

_WRITE = """
INSERT INTO presence (node, has_operator, wants_output) VALUES ($1, $2, $3)
ON CONFLICT (node) DO UPDATE SET has_operator = $2, wants_output = $3
"""
_NOTIFY = "SELECT pg_notify('stringd_presence', $1)"
_OTHERS = """
SELECT coalesce(bool_or(has_operator), false) AS has_operator,
       coalesce(bool_or(wants_output), false) AS wants_output
FROM presence JOIN nodes ON nodes.id = presence.node AND nodes.ended IS NULL
    AND nodes.expires > clock_timestamp()
WHERE presence.node <> $1
"""
_TRIM = """
DELETE FROM presence WHERE NOT EXISTS (
    SELECT FROM nodes WHERE id = presence.node AND ended IS NULL AND expires > clock_timestamp()
)
"""


class Attendance(NamedTuple):
    """Whether an operator is attached somewhere, and whether the output of all nodes is watched there."""

    has_operator: bool
    wants_output: bool


class SharedAttendance:
    """Writes the attendance of this node, which ends with its lease, and reads that of the others."""

    def __init__(self, node: SharingNode) -> None:
        self._node = node
        self._written: tuple[str, Attendance] | None = None

    async def write(self, here: Attendance) -> None:
        """Tell the other nodes, if they don't know yet."""
        node_id = self._node.id
        if self._written == (node_id, here):
            return
        async with self._node.pool.transaction() as connection:
            await connection.execute(_WRITE, node_id, *here)
            await connection.execute(_NOTIFY, node_id)
        self._written = node_id, here

    async def others(self) -> Attendance:
        """Return the attendance at all other live nodes."""
        row = await self._node.pool.fetchrow(_OTHERS, self._node.id)
        return Attendance(row["has_operator"], row["wants_output"])

    async def trim(self) -> None:
        """Forget nodes that have left."""
        await self._node.pool.execute(_TRIM)
