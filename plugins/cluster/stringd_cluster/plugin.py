"""Register what this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Settings, hookimpl
from stringd_cluster.cluster_settings import ClusterSettings


@hookimpl
def stringd_settings() -> Iterable[Settings]:
    """Declare the settings of a node."""
    return (Settings(record=ClusterSettings),)
