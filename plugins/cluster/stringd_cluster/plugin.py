"""Register what this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import CliCommand, Settings, hookimpl
from stringd_cluster.cluster_settings import ClusterSettings
from stringd_cluster.commands.cluster_command import CLUSTER
from stringd_cluster.commands.token_command import TOKEN


@hookimpl
def stringd_settings() -> Iterable[Settings]:
    """Declare the settings of a node."""
    return (Settings(record=ClusterSettings),)


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add `stringd cluster` and `stringd token`."""
    return (CLUSTER, TOKEN)
