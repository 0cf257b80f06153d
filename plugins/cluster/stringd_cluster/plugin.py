"""Register what this plugin adds to stringd."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial

from stringd.plugin import (
    CliCommand,
    Config,
    Door,
    HeadRecords,
    HealthField,
    Runtime,
    Service,
    Settings,
    StoredValues,
    hookimpl,
)
from stringd.plugin.stores import Stores
from stringd_cluster.cluster_settings import ClusterSettings
from stringd_cluster.commands.cluster_command import CLUSTER
from stringd_cluster.commands.cluster_database import require_extra
from stringd_cluster.commands.heads_of_nodes import recorded_heads
from stringd_cluster.commands.token_command import TOKEN
from stringd_cluster.commands.values_of_plugins import stored_value

log = logging.getLogger(__name__)

_LAST_EVENTS_SECONDS = 2.0
_LEAVE_SECONDS = 3.0


@hookimpl
def stringd_settings() -> Iterable[Settings]:
    """Declare the settings of a node."""
    return (Settings(record=ClusterSettings),)


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add `stringd cluster` and `stringd token`."""
    return (CLUSTER, TOKEN)


@hookimpl(optionalhook=True)
def stringd_head_records(config: Config) -> Iterable[HeadRecords]:
    """Let subcommands see the heads of chains that nodes have recorded."""
    return (HeadRecords(name="cluster", read=lambda: recorded_heads(config)),)


@hookimpl(optionalhook=True)
def stringd_stored_values(config: Config) -> Iterable[StoredValues]:
    """Let subcommands see what plugins keep in the database of the cluster."""
    return (StoredValues(name="cluster", read=partial(stored_value, config)),)


def _is_node(runtime: Runtime) -> bool:
    """Whether the daemon is a node; if not, nothing but these hooks is imported."""
    if not runtime.settings(ClusterSettings).url:
        return False
    require_extra()
    return True


@hookimpl
def stringd_stores(runtime: Runtime) -> Iterable[Stores]:
    """Keep the state of a node in the database."""
    if not _is_node(runtime):
        return ()
    from stringd_cluster.cluster_node import cluster_node
    from stringd_cluster.door.cluster_peers import ClusterPeers
    from stringd_cluster.door.door_record import door_parts

    node = cluster_node(runtime)
    peers = ClusterPeers(node, lambda: door_parts(runtime).door.hop)
    return (node.stores.record(log.warning, node.serves, peers),)


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Run the node."""
    if not _is_node(runtime):
        return ()
    from stringd_cluster.cluster_node import cluster_node
    from stringd_cluster.door.door_record import door_parts
    from stringd_cluster.door.member_node import MemberNode
    from stringd_cluster.sharing.activity_sharing import ActivitySharing

    node = cluster_node(runtime)
    sharing = ActivitySharing(runtime, MemberNode(node, lambda: door_parts(runtime).door.hop))

    async def share() -> None:
        await node.joined()
        await sharing.run()

    return (
        Service(name="cluster", run=node.run, required=True, stop_seconds=_LEAVE_SECONDS),
        Service(name="cluster-activity", run=share, stop_seconds=_LAST_EVENTS_SECONDS),
        Service(name="cluster-door", run=door_parts(runtime).run),
    )


@hookimpl
def stringd_doors(runtime: Runtime) -> Iterable[Door]:
    """Admit clients by their tokens, and listen for them and for other nodes."""
    if not _is_node(runtime):
        return ()
    from stringd_cluster.door.door_record import door_parts

    return (door_parts(runtime).record,)


@hookimpl
def stringd_health(runtime: Runtime) -> Iterable[HealthField]:
    """Tell clients that this is a node."""
    if not _is_node(runtime):
        return ()
    return (HealthField(name="protocol", read=lambda: "0.2", is_public=True),)
