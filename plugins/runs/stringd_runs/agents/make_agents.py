"""Make the agents of a run from their definitions in a strategy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from msgspec import Struct

from stringd.plugin import Runtime, User
from stringd_runs.agent import Agent
from stringd_runs.agents.agent_types import AgentType
from stringd_runs.agents.code_agent import CodeAgentRunner
from stringd_runs.agents.model_agent import ModelAgentRunner
from stringd_runs.agents.person_agent import PersonAgent
from stringd_runs.agents.schema_check import check_schema
from stringd_runs.model_provider import ProviderFailed
from stringd_runs.providers.provider_catalogue import ChosenModel, ProviderCatalogue
from stringd_runs.strategies.strategy import (
    AgentDefinition,
    CodeAgent,
    ModelAgent,
    Person,
    Strategy,
)
from stringd_runs.tools.topic_tool import make_topic_tool


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
        except _Unusable as error:
            raise strategy.invalid(f"agent {name}: {error}", "agents", name, error.key) from error
    return agents


class _Unusable(ValueError):
    """The value of a key of an agent cannot be used."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@contextmanager
def _reading(key: str, when: str = "") -> Iterator[None]:
    try:
        yield
    except (ProviderFailed, ValueError) as error:
        raise _Unusable(key, f"{when}{error}") from error


class _Making(Struct, frozen=True, kw_only=True):
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
        model = self._model(definition)
        with _reading("tools"):
            tools = tuple(
                make_topic_tool(it, self.run_id, self.runtime) for it in dict.fromkeys(definition.tools)
            )
        if definition.output_schema is not None:
            with _reading("outputSchema"):
                check_schema(definition.output_schema, "outputSchema")
        return ModelAgentRunner(definition, model, tools)

    def _model(self, definition: ModelAgent) -> ChosenModel:
        reference = self.model_override or definition.model
        if not reference:
            raise _Unusable(
                "model", "it has no model: name one as provider/model, or prepare the run with modelOverride"
            )
        with _reading("model", f"with the modelOverride {reference}: " if self.model_override else ""):
            return self.providers.choose(reference, self.user, definition.provider_options)

    def _code_agent(self, definition: CodeAgent) -> Agent:
        types = {it.name: it for it in self.runtime.added(AgentType)}
        return CodeAgentRunner(definition, types[definition.type])
