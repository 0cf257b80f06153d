"""The heads of chains that the nodes of a cluster have recorded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from stringd.plugin import Config, RecordedHead
from stringd_cluster.commands.cluster_database import configured_url, run_with

_ALL = "SELECT node, chain, number, digest, at FROM stringd.heads ORDER BY node, chain"


def recorded_heads(config: Config) -> Sequence[RecordedHead]:
    """Return the heads of all nodes, none without a cluster; raise `Fault` if they can't be read."""
    url = configured_url(config)
    if not url:
        return ()
    from stringd_cluster.hop.node_identity import NodeIdentity

    identity = NodeIdentity.load(config.data_dir)
    own = identity.name if identity else None

    async def read(connection: Any) -> Sequence[RecordedHead]:
        return [_head(row, own) for row in await connection.fetch(_ALL)]

    return run_with(url, read)


def _head(row: Any, own: str | None) -> RecordedHead:
    return RecordedHead(
        node=row["node"],
        chain=row["chain"],
        number=row["number"],
        digest=row["digest"],
        at=row["at"].astimezone(UTC).isoformat(timespec="seconds"),
        is_own=row["node"] == own,
    )
