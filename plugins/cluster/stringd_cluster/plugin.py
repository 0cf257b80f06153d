"""Register what this plugin adds to stringd."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from stringd.plugin import CliCommand, Runtime, Service, Settings, hookimpl
from stringd.plugin.stores import Stores
from stringd_cluster.cluster_settings import ClusterSettings
from stringd_cluster.commands.cluster_command import CLUSTER
from stringd_cluster.commands.token_command import TOKEN

log = logging.getLogger(__name__)


@hookimpl
def stringd_settings() -> Iterable[Settings]:
    """Declare the settings of a node."""
    return (Settings(record=ClusterSettings),)


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add `stringd cluster` and `stringd token`."""
    return (CLUSTER, TOKEN)


@hookimpl
def stringd_stores(runtime: Runtime) -> Iterable[Stores]:
    """Keep the state of a node in the database."""
    if not runtime.settings(ClusterSettings).url:
        return ()
    from stringd_cluster.cluster_node import cluster_node

    node = cluster_node(runtime)
    return (node.stores.record(log.warning, node.serves),)


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    """Run the node."""
    if not runtime.settings(ClusterSettings).url:
        return ()
    from stringd_cluster.cluster_node import cluster_node

    return (Service(name="cluster", run=cluster_node(runtime).run, required=True),)
