"""The settings of the plugin."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.plugin import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    """How long MCP servers are kept."""

    idle_seconds: float = setting(
        600.0, "How long a server of an app is kept after its last use.", unit="seconds", least=0.1
    )
