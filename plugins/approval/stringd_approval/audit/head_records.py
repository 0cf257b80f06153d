"""The hook `stringd_head_records`: where the heads of logs are kept, whose files could be cut off."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Config, HeadRecords, hookspec


@hookspec
def stringd_head_records(config: Config) -> Iterable[HeadRecords]:
    """Say where the heads of chains are kept, so that subcommands can compare them with files."""
    return ()
