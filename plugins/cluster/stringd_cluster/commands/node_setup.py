"""Make a cluster, or join one: what `stringd cluster init` and `join` leave in the database and on disk."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from stringd.plugin import Fault
from stringd_cluster.access.scopes import Scope
from stringd_cluster.access.stored_tokens import revoke_tokens, store_token
from stringd_cluster.access.tokens import NewToken
from stringd_cluster.commands.cluster_database import check_clock
from stringd_cluster.engine.cluster_schema import create_schema
from stringd_cluster.engine.engine_checks import check_engine
from stringd_cluster.hop.certificates import Authority, is_node_name
from stringd_cluster.hop.join_secret import SealingKey, WrongJoinSecret, new_join_secret
from stringd_cluster.hop.node_folder import FOLDER
from stringd_cluster.hop.node_identity import NodeIdentity

_CLUSTER = "SELECT id, ca_certificate, ca_key FROM stringd.cluster"
_MAKE = "INSERT INTO stringd.cluster (id, ca_certificate, ca_key, home_policy) VALUES ($1, $2, $3, $4)"
_REMOVE = """
DELETE FROM stringd.cluster WHERE id::text = $1 AND NOT EXISTS (
    SELECT FROM stringd.nodes WHERE ended IS NULL AND expires > clock_timestamp()
) RETURNING id
"""
_NOTE = "the first token"
_FIRST_TOKENS = "SELECT id FROM stringd.tokens WHERE note = $1 AND revoked IS NULL"
_IS_LIVE = """
SELECT 1 FROM stringd.nodes WHERE name = $1 AND ended IS NULL AND expires > clock_timestamp()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNode:
    """A node that is being set up: its cluster's database, its name, and where it keeps its identity."""

    url: str = field(repr=False)
    name: str
    data_dir: Path

    def identity(self, cluster_id: UUID) -> NodeIdentity:
        """Return its identity in a cluster, which is not stored yet."""
        return NodeIdentity(
            folder=self.data_dir / FOLDER, cluster_id=str(cluster_id), name=self.name, url=self.url
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCluster:
    """A cluster that was made, with what is shown only once."""

    id: UUID
    join_secret: str = field(repr=False)
    token: NewToken


def node_name(given: str) -> str:
    """Return the name that was given, or one made of the machine's; raise `Fault` if it is invalid."""
    if given and not is_node_name(given):
        raise Fault(
            f"a node's name has lower-case letters, digits and -, at most 63: not {given!r}", exit_code=2
        )
    own = re.sub(r"[^a-z0-9-]+", "-", socket.gethostname().partition(".")[0].lower())[:63].strip("-")
    return given or own or "node"


async def make_cluster(connection: Any, node: NewNode, policy: str, user_id: str) -> NewCluster:
    """Make a cluster with its tables, authority, first token, and this node's identity; all or nothing.

    It replaces one that an interrupted `init` has left here and in the database. Once the join secret and the
    token were shown, `finish` of the identity ends that.
    """
    before = NodeIdentity.load(node.data_dir)
    is_repeated = before is not None and before.is_unfinished
    if not is_repeated:
        refuse_other_cluster(node, None)
    await check_engine(connection)
    await check_clock(connection)
    made = NewCluster(
        id=uuid4(),
        join_secret=new_join_secret(),
        token=NewToken(user_id=user_id, scopes=frozenset(Scope), note=_NOTE),
    )
    sealing, authority = SealingKey.derived(made.join_secret), Authority.made(made.id)
    identity = replace(node.identity(made.id), is_unfinished=True)
    async with connection.transaction():
        await create_schema(connection)
        if before and is_repeated:
            await _remove_unfinished(connection, before.cluster_id)
        if there := await connection.fetchval("SELECT id FROM stringd.cluster"):
            raise Fault(
                f"this database has a cluster already, {there}: "
                "join it with `stringd cluster join` and the same URL, or use another database"
            )
        values = (made.id, authority.certificate, authority.sealed_key(sealing), policy)
        await connection.execute(_MAKE, *values)
        await store_token(connection, made.token)
        identity.store(authority.certificate, authority.issue(node.name), sealing)
    return made


async def _remove_unfinished(connection: Any, cluster_id: str) -> None:
    """Remove a cluster whose secrets nobody has, unless it runs all the same."""
    if await connection.fetchval(_REMOVE, cluster_id):
        for row in await connection.fetch(_FIRST_TOKENS, _NOTE):
            await revoke_tokens(connection, row["id"], None)


async def join_cluster(connection: Any, node: NewNode, join_secret: str) -> UUID:
    """Get a certificate for this node with the join secret, and store its identity; return the cluster."""
    await check_engine(connection)
    await check_clock(connection)
    row = await connection.fetchrow(_CLUSTER)
    if row is None:
        raise Fault("the database has no cluster: `stringd cluster init` with the same URL makes one")
    cluster_id = UUID(str(row["id"]))
    refuse_other_cluster(node, cluster_id)
    sealing = SealingKey.opening(row["ca_key"], join_secret)
    try:
        authority = Authority.opened(cluster_id, row["ca_certificate"], row["ca_key"], sealing)
    except WrongJoinSecret:
        raise Fault(
            "this is not the join secret of the cluster: `stringd cluster init` has shown it, once"
        ) from None
    if await connection.fetchval(_IS_LIVE, node.name):
        raise Fault(f"a node named {node.name} runs already: stop it, or give this one another --node NAME")
    node.identity(cluster_id).store(authority.certificate, authority.issue(node.name), sealing)
    return cluster_id


def refuse_other_cluster(node: NewNode, cluster_id: UUID | None) -> None:
    """Raise `Fault` if the data directory belongs to another cluster, or to this one under another name."""
    there = NodeIdentity.load(node.data_dir)
    if there is None or (there.cluster_id == str(cluster_id) and there.name == node.name):
        return
    raise Fault(
        f"{node.data_dir} belongs to the node {there.name} of the cluster {there.cluster_id}: "
        "give another --data-dir, or first run `stringd cluster leave`"
    )
