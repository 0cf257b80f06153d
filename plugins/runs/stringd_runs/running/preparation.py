"""What a run needs to be started: its strategy as read, its agents, and what was said before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from stringd.plugin import User
from stringd_runs.agent import Agent
from stringd_runs.histories.history import Remembered
from stringd_runs.messages.daemon_replies import RunPrepared
from stringd_runs.strategies.strategy import Strategy

_NO_SERVERS = "no plugin connects MCP servers"


class RunSource(Struct, frozen=True, kw_only=True):
    """Which strategy is run, where, by whom, and with which model in place of those of its agents."""

    run_id: str
    user: User
    strategy_path: str
    directory: str | None = None
    model_override: str | None = None


class Preparation(Struct, frozen=True, kw_only=True):
    """An execution that can be started."""

    source: RunSource
    strategy: Strategy
    agents: Mapping[str, Agent]
    directory: Path
    flow_tree: Mapping[str, Any]
    remembered: Remembered = field(default_factory=Remembered)
    is_continuation: bool = False
    is_elsewhere: bool = False
    """Whether the execution before had another directory, so that the topics of tools begin anew."""

    def reply(self) -> RunPrepared:
        """Return what a client is told that has prepared it, or attaches to it."""
        return RunPrepared(
            run_id=self.source.run_id,
            strategy_name=self.strategy.name,
            agents=tuple(self.strategy.agents),
            flow_tree=self.flow_tree,
            conversation=self.remembered.conversation(),
            mcp_servers=self._mcp_servers(),
        )

    def _mcp_servers(self) -> Sequence[Mapping[str, Any]]:
        return tuple(
            {"name": it, "status": "unavailable", "error": _NO_SERVERS} for it in self.strategy.mcp_servers
        )
