"""What plugins keep in the database of a cluster."""

from __future__ import annotations

import json
from typing import Any

from stringd.plugin import Config
from stringd_cluster.commands.cluster_database import configured_url, run_with

_GET = "SELECT value FROM stringd.storage WHERE plugin = $1 AND key = $2"


def stored_value(config: Config, plugin: str, key: str) -> Any:
    """Return the value of a plugin's key, None without it or a cluster; raise `Fault` if it can't be read."""
    url = configured_url(config)
    if not url:
        return None

    async def read(connection: Any) -> str | None:
        text: str | None = await connection.fetchval(_GET, plugin, key)
        return text

    text = run_with(url, read)
    return None if text is None else json.loads(text)
