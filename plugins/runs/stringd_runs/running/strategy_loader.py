"""Read a strategy within the user's allowed paths, and make its agents."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from stringd.plugin import Disconnected, ErrorCode, Refusal, Runtime, User
from stringd.plugin.files import HomeFiles
from stringd.plugin.workers import STORAGE
from stringd_runs.agent_events import AgentResult
from stringd_runs.agents.agent_types import AgentType
from stringd_runs.agents.make_agents import make_agents
from stringd_runs.flows.built_in_flows import known_flow_types
from stringd_runs.flows.flow_run import FlowCaller, run_flow
from stringd_runs.flows.flow_tree import flow_tree
from stringd_runs.providers.provider_catalogue import ProviderCatalogue
from stringd_runs.running.preparation import Preparation, RunSource
from stringd_runs.strategies.strategy import Flow
from stringd_runs.strategies.user_strategies import UserStrategies


class StrategyLoader:
    """Reads strategies, makes their agents and runs their flows in one daemon."""

    def __init__(self, runtime: Runtime, providers: ProviderCatalogue) -> None:
        self._runtime = runtime
        self._providers = providers
        self._flow_types = known_flow_types(runtime)
        agent_types = {it.name: it for it in runtime.added(AgentType)}
        self._strategies = UserStrategies(runtime, flow_types=self._flow_types, agent_types=agent_types)

    async def prepare(
        self,
        source: RunSource,
        disconnected: Disconnected | None = None,
        *,
        approved_code: str | None = None,
    ) -> Preparation:
        """Read a strategy and make its agents; raise `Refusal` or `Fault` if that is impossible.

        `disconnected` returns when the client that may wait for an approval has gone. `approved_code` is the
        SHA-256 of code that needs no further approval.
        """
        directory = await STORAGE.run(self.directory, source.user, source.directory or ".")
        strategy = await self._strategies.read(
            source.strategy_path,
            user=source.user,
            directory=directory,
            disconnected=disconnected,
            approved_code=approved_code,
        )
        agents = make_agents(
            strategy,
            run_id=source.run_id,
            user=source.user,
            runtime=self._runtime,
            providers=self._providers,
            model_override=source.model_override,
        )
        return Preparation(
            source=replace(source, strategy_path=str(strategy.path), directory=str(directory)),
            strategy=strategy,
            agents=agents,
            directory=directory,
            flow_tree=flow_tree(strategy.flow),
        )

    def directory(self, user: User, typed: str) -> Path:
        """Return the real path of a directory, which is relative to the user's home, or refuse; it blocks."""
        path = HomeFiles(user, self._runtime).resolve(typed)
        if not path.is_dir():
            raise Refusal(ErrorCode.NOT_FOUND, f"There is no such directory: {typed}")
        return path

    async def run_flow(self, flow: Flow, text: str, caller: FlowCaller) -> AgentResult:
        """Run a flow on a text."""
        return await run_flow(flow, text, caller, self._flow_types)
