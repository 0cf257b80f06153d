"""What must be true before a node joins: a durable database with the tables of this cluster."""

from __future__ import annotations

import logging

from stringd.plugin import Fault
from stringd_cluster.engine.cluster_schema import update_schema
from stringd_cluster.engine.database_pool import FAILURES, connect
from stringd_cluster.engine.database_url import shown_url
from stringd_cluster.engine.engine_checks import check_engine
from stringd_cluster.hop.node_identity import NodeIdentity

log = logging.getLogger(__name__)

_CLUSTER = "SELECT id::text, ca_key FROM stringd.cluster"


async def require_admittance(url: str, identity: NodeIdentity) -> None:
    """Raise `Fault` unless this node may join the cluster in a database; renew its certificate if due."""
    try:
        connection = await connect(url)
    except FAILURES as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise Fault(f"{shown_url(url)} can't be reached: {reason}") from error
    try:
        await check_engine(connection)
        await update_schema(connection)
        row = await connection.fetchrow(_CLUSTER)
    except FAILURES as error:
        raise Fault(f"{shown_url(url)} can't be used: {error}") from error
    finally:
        connection.terminate()
    if row is None or row["id"] != identity.cluster_id:
        raise Fault(
            f"the database has another cluster than {identity.cluster_id}, which {identity.folder} is of: "
            "check the URL, or give another --data-dir"
        )
    if warning := identity.renew(row["ca_key"]):
        log.warning("%s", warning)
