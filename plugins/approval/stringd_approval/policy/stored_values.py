"""The hook `stringd_stored_values`: where the rules are kept that a daemon shares with others."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Config, StoredValues, hookspec


@hookspec
def stringd_stored_values(config: Config) -> Iterable[StoredValues]:
    """Say where the entries of plugins are kept, so that subcommands know the rules of a cluster."""
    return ()
