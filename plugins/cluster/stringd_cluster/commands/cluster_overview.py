"""What `stringd cluster status` shows: nodes, homes that nobody has, the database, the own certificate."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from stringd.plugin import Fault
from stringd.plugin.cli import write_output
from stringd.plugin.text import counted
from stringd_cluster.commands.cluster_database import clock_skew, connection_url, run_with
from stringd_cluster.engine.database_url import shown_url

MOST_LISTED = 20
_NODES = """
SELECT id, name, address, labels, version, started, is_draining,
       extract(epoch FROM expires - clock_timestamp())::float8 AS lease_seconds,
       (SELECT count(*) FROM stringd.homes WHERE owner = nodes.id) AS homes
FROM stringd.nodes WHERE ended IS NULL ORDER BY name, started
"""
_CLUSTER = """
SELECT id::text, home_policy, (SELECT count(*) FROM stringd.users) AS users FROM stringd.cluster
"""
_UNOWNED = """
SELECT users.id, homes.label FROM stringd.users LEFT JOIN stringd.homes USING (id)
LEFT JOIN stringd.nodes ON nodes.id = homes.owner AND ended IS NULL AND expires > clock_timestamp()
WHERE nodes.id IS NULL ORDER BY users.id
"""
_ENGINE = """
SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS synchronous_commit
"""


def show_status(arguments: argparse.Namespace) -> int:
    """Print the state of the cluster."""
    from stringd.plugin.terminal_programs import write_json

    url = connection_url(arguments, "cluster status")
    status = run_with(url, _read)
    status["database"]["url"] = shown_url(url)
    status["own"] = _own(arguments)
    if arguments.json:
        write_json(status)
    else:
        write_output("\n".join(_lines(status)))
    return 0


async def _read(connection: Any) -> dict[str, Any]:
    cluster = await connection.fetchrow(_CLUSTER)
    if cluster is None:
        raise Fault("the database has no cluster: `stringd cluster init` with the same URL makes one")
    nodes = [_node(row) for row in await connection.fetch(_NODES)]
    unowned = [
        {"user_id": row["id"], "label": row["label"], "available": _may_go(row["label"], nodes)}
        for row in await connection.fetch(_UNOWNED)
    ]
    engine = dict(await connection.fetchrow(_ENGINE))
    engine["clock_skew"] = round(await clock_skew(connection), 3)
    return {**dict(cluster), "nodes": nodes, "homes_without_node": unowned, "database": engine}


def _node(row: Mapping[str, Any]) -> dict[str, Any]:
    started = row["started"].astimezone(UTC).isoformat()
    return {**dict(row), "labels": list(row["labels"]), "started": started, "live": row["lease_seconds"] > 0}


def _may_go(label: str | None, nodes: Iterable[Mapping[str, Any]]) -> bool:
    return any(
        it["live"] and not it["is_draining"] and (label is None or label in (it["name"], *it["labels"]))
        for it in nodes
    )


def _own(arguments: argparse.Namespace) -> dict[str, Any] | None:
    from stringd_cluster.hop.node_identity import NodeIdentity

    identity = NodeIdentity.load(arguments.config.data_dir)
    if identity is None:
        return None
    until = identity.certificate.not_valid_after_utc
    return {
        "name": identity.name,
        "cluster_id": identity.cluster_id,
        "certificate_until": until.isoformat(),
        "certificate_sha256": identity.fingerprint,
        "renewal_due": identity.is_renewal_due(),
    }


def _lines(status: Mapping[str, Any]) -> Iterable[str]:
    yield f"cluster {status['id']}, users: {status['users']}, homes: {status['home_policy']}"
    if not status["nodes"]:
        yield "no node runs"
    for node in status["nodes"]:
        yield _node_line(node)
    yield from _unowned_lines(status["homes_without_node"])
    engine = status["database"]
    yield (
        f"database {engine['url']}: PostgreSQL {engine['version']}, fsync {engine['fsync']}, "
        f"synchronous_commit {engine['synchronous_commit']}, this machine's clock differs by "
        f"{engine['clock_skew']:+.1f} s"
    )
    yield from _own_lines(status["own"])


def _node_line(node: Mapping[str, Any]) -> str:
    from stringd.plugin.terminal_programs import visible_line

    seconds = node["lease_seconds"]
    lease = f"lease for {seconds:.1f} s" if seconds > 0 else f"lease over for {-seconds:.1f} s"
    labels = f", labels {', '.join(node['labels'])}" if node["labels"] else ""
    draining = ", draining" if node["is_draining"] else ""
    homes = counted(node["homes"], "home")
    what = f"{homes}, {lease}{labels}{draining}, {node['address']}, stringd {node['version']}"
    return visible_line(f"node {node['name']} ({node['id']}): {what}")


def _unowned_lines(homes: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    from stringd.plugin.terminal_programs import visible_line

    lost = [it for it in homes if not it["available"]]
    if waiting := len(homes) - len(lost):
        yield f"homes that no node has, and the next request moves to one: {waiting}"
    for it in lost[:MOST_LISTED]:
        wanted = f"a live node with the label {it['label']}" if it["label"] else "a live node"
        yield visible_line(f"home of {it['user_id']}: unavailable, it needs {wanted}")
    if len(lost) > MOST_LISTED:
        yield f"… and {len(lost) - MOST_LISTED} more; --json lists all"


def _own_lines(own: Mapping[str, Any] | None) -> Iterable[str]:
    if own is None:
        yield "this data directory belongs to no node"
        return
    until = datetime.fromisoformat(own["certificate_until"])
    due = ", to be renewed at the next start" if own["renewal_due"] else ""
    yield (
        f"this node: {own['name']}, its certificate is valid until {until:%Y-%m-%d}{due}, "
        f"SHA-256 {own['certificate_sha256']}"
    )
