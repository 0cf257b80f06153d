"""Make the agents of a run from their definitions in a strategy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stringd.plugin import Runtime, User
from stringd_runs.agent import Agent
from stringd_runs.agents.agent_types import AgentType
from stringd_runs.agents.code_agent import CodeAgentRunner
from stringd_runs.agents.model_agent import ModelAgentRunner
from stringd_runs.agents.person_agent import PersonAgent
from stringd_runs.model_provider import ProviderFailed
from stringd_runs.providers.provider_catalogue import ProviderCatalogue
from stringd_runs.strategies.strategy import (
    AgentDefinition,
    CodeAgent,
    ModelAgent,
    Person,
    Strategy,
)
from stringd_runs.tools.topic_tool import TopicTool, make_topic_tool


def make_agents(
    strategy: Strategy,
    *,
    run_id: str,
    user: User,
    runtime: Runtime,
    providers: ProviderCatalogue,
    model_override: str | None = None,
) -> Mapping[str, Agent]:
    """Return the agents of a strategy by name, in its order; raise `StrategyInvalid` for an unusable one."""
    making = _Making(
        run_id=run_id, user=user, runtime=runtime, providers=providers, model_override=model_override
    )
    agents: dict[str, Agent] = {}
    for name, definition in strategy.agents.items():
        try:
            agents[name] = making.agent(definition)
        except (ProviderFailed, ValueError) as error:
            raise strategy.invalid(f"agent {name}: {error}", "agents", name) from error
    return agents


@dataclass(frozen=True, slots=True, kw_only=True)
class _Making:
    run_id: str
    user: User
    runtime: Runtime
    providers: ProviderCatalogue
    model_override: str | None

    def agent(self, definition: AgentDefinition) -> Agent:
        match definition:
            case ModelAgent():
                return self._model_agent(definition)
            case Person():
                return PersonAgent(definition)
            case CodeAgent():
                return self._code_agent(definition)

    def _model_agent(self, definition: ModelAgent) -> Agent:
        reference = self.model_override or definition.model
        if not reference:
            raise ValueError("it has no model")
        model = self.providers.choose(reference, self.user, definition.provider_options)
        return ModelAgentRunner(definition, model, self._tools(definition.tools))

    def _tools(self, entries: Iterable[str]) -> tuple[TopicTool, ...]:
        return tuple(make_topic_tool(it, self.run_id, self.runtime) for it in dict.fromkeys(entries))

    def _code_agent(self, definition: CodeAgent) -> Agent:
        types = {it.name: it for it in self.runtime.added(AgentType)}
        return CodeAgentRunner(definition, types[definition.type])
