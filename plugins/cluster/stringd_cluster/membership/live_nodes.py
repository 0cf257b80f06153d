"""The nodes of a cluster, as the database lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stringd_cluster.engine.database_pool import ConnectionPool, application_name
from stringd_cluster.membership.boot_clock import boot_time
from stringd_cluster.unsafe_modes import FENCES, is_switched_off

_JOIN = """
INSERT INTO nodes (id, name, address, labels, version, started, expires)
VALUES ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp() + $6 * interval '1 second')
"""
_RENEW = """
UPDATE nodes SET expires = clock_timestamp() + $2 * interval '1 second'
WHERE id = $1 AND ended IS NULL AND expires > clock_timestamp() RETURNING id
"""
_LIVE = """
SELECT id, name, address, labels, is_draining,
       extract(epoch FROM expires - clock_timestamp())::float8 AS seconds
FROM nodes WHERE ended IS NULL AND expires > clock_timestamp()
"""
# A renewal that is being written when the lease expires holds the row: this waits for it, and looks again.
_END_EXPIRED = """
UPDATE nodes SET ended = clock_timestamp() WHERE id = $1 AND ended IS NULL AND expires <= clock_timestamp()
"""
_LEAVE = "UPDATE nodes SET ended = clock_timestamp() WHERE id = $1 AND ended IS NULL"
_RELEASE_ALL = "UPDATE homes SET owner = NULL WHERE owner = $1"
_DISCONNECT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1"
# Whoever was killed and had no homes was never ended by another node.
_FORGET_OLD = "DELETE FROM nodes WHERE coalesce(ended, expires) < clock_timestamp() - interval '1 day'"


_LOCK_NAME = "SELECT pg_advisory_xact_lock(hashtext('stringd node'), hashtext($1))"
_NAMESAKE = "SELECT 1 FROM nodes WHERE name = $1 AND ended IS NULL AND expires > clock_timestamp()"


class NameTaken(Exception):
    """A live node has the name, maybe an earlier life of the same one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node whose lease was valid when it was looked up."""

    id: str
    name: str
    address: str
    labels: frozenset[str]
    is_draining: bool
    until: float = field(default=0.0, compare=False)
    """When its lease is over unless it is renewed, on the boot clock of whoever looked it up."""

    def may_have(self, label: str | None) -> bool:
        """Whether it may take over homes with a label; its name is a label, too."""
        return not self.is_draining and (label is None or label == self.name or label in self.labels)


async def join(pool: ConnectionPool, node: Node, version: str, seconds: float) -> None:
    """Add a node with a lease of so many seconds; raise `NameTaken` if there is one of this name."""
    async with pool.transaction() as connection:
        await connection.execute(_LOCK_NAME, node.name)
        if await connection.fetchval(_NAMESAKE, node.name):
            raise NameTaken(f"a node named {node.name} runs")
        await connection.execute(_FORGET_OLD)
        values = (node.id, node.name, node.address, sorted(node.labels), version, seconds)
        await connection.execute(_JOIN, *values)
        await connection.execute("SELECT pg_notify('stringd_nodes', $1)", node.id)


async def renew(connection: Any, node_id: str, seconds: float) -> bool:
    """Extend a lease; return whether that was possible, or it is lost."""
    return await connection.fetchval(_RENEW, node_id, seconds) is not None


async def live_nodes(connection: Any) -> Mapping[str, Node]:
    """Return the nodes with valid leases by id."""
    rows = await connection.fetch(_LIVE)
    now = boot_time()
    return {
        it["id"]: Node(
            id=it["id"],
            name=it["name"],
            address=it["address"],
            labels=frozenset(it["labels"]),
            is_draining=it["is_draining"],
            until=now + it["seconds"],
        )
        for it in rows
    }


async def end_expired(pool: ConnectionPool, node_id: str) -> bool:
    """End a node whose lease has expired, and its connections; return whether it has ended by now."""
    await pool.execute(_END_EXPIRED, node_id)
    rows = await pool.fetch("SELECT ended IS NOT NULL AS ended FROM nodes WHERE id = $1", node_id)
    if rows and not rows[0]["ended"]:
        return False
    if not is_switched_off(FENCES):
        await pool.execute(_DISCONNECT, application_name(node_id))
    return True


async def leave(pool: ConnectionPool, node_id: str) -> None:
    """End a node's lease and give up its homes, whose topics have been ended."""
    async with pool.transaction() as connection:
        await connection.execute(_LEAVE, node_id)
        await connection.execute(_RELEASE_ALL, node_id)
        await connection.execute("SELECT pg_notify('stringd_nodes', $1)", node_id)
