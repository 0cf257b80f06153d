"""Model agents without a daemon: a run that notes what it is told, models and tools of the tests' own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stringd.plugin import Runtime, User
from stringd_runs.agent import Agent, ToolUse
from stringd_runs.agent_events import AgentEvent, AgentResult, Text, ToolCall, Usage
from stringd_runs.agents.model_agent import ModelAgentRunner
from stringd_runs.model_provider import Finished, ModelCall, ModelProvider, ProviderEvent, Tool
from stringd_runs.providers.provider_catalogue import ChosenModel
from stringd_runs.strategies.strategy import ModelAgent
from stringd_runs.tools.agent_tool import AgentTool, ToolOutcome
from tests.runs.providers.model_calls import MOST_SECONDS, USER


@dataclass
class NotedRun:
    """A run that notes what agents report; its people say what they are told to."""

    steering: list[str] = field(default_factory=list)
    said: Callable[[str, str], str] = lambda agent, prompt: ""
    events: list[AgentEvent] = field(default_factory=list)
    cuts: list[tuple[str, int]] = field(default_factory=list)
    run_id: str = "r"
    user: User = USER
    directory: Path = Path("/home/ann")

    @property
    def runtime(self) -> Runtime:
        raise AssertionError("there is no daemon")

    def publish(self, agent: str, event: AgentEvent) -> None:
        self.events.append(event)

    def take_steering(self) -> Sequence[str]:
        taken, self.steering = self.steering, []
        return taken

    @contextmanager
    def using(self, use: ToolUse) -> Iterator[None]:
        yield

    def note_cut(self, agent: str, removed_records: int) -> None:
        self.cuts.append((agent, removed_records))

    async def ask(self, agent: str, prompt: str) -> str:
        return self.said(agent, prompt)

    def of_type(self, kind: type) -> list[Any]:
        """Return the reported events of a type."""
        return [it for it in self.events if isinstance(it, kind)]


class Answers:
    """A model that gives one answer after the other, each a text or tool calls, and notes what it is sent."""

    def __init__(self, *answers: str | Sequence[ToolCall]) -> None:
        self._answers = iter(answers)
        self.calls: list[ModelCall] = []

    async def stream(self, call: ModelCall) -> AsyncGenerator[ProviderEvent, None]:
        self.calls.append(call)
        answer = next(self._answers)
        if isinstance(answer, str):
            yield Text(text=answer)
        else:
            for it in answer:
                yield it
        yield Finished(usage=Usage(prompt_tokens=10, completion_tokens=1))


@dataclass
class FakeTool:
    """A tool that answers with a text, and notes its calls."""

    answer: str = "done"
    name: str = "file"
    uses: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def declaration(self) -> Tool:
        return Tool(name=self.name, description="", parameters={"type": "object"})

    async def use(self, arguments: Mapping[str, Any], agent: str, run: Any) -> ToolOutcome:
        self.uses.append(arguments)
        return ToolOutcome(text=self.answer)


def tool_call(arguments: str = '{"command": "/help"}', name: str = "file") -> ToolCall:
    """Return a call of a tool, as models write them."""
    return ToolCall(id="c1", name=name, arguments=arguments)


def model_agent(model: Answers, *tools: AgentTool, **fields: Any) -> ModelAgentRunner:
    """Return an agent that talks to a model of the test."""
    provider = ModelProvider(name="test", title="Test", stream=model.stream)
    chosen = ChosenModel(provider=provider, model="m", options={}, context_window=1000)
    definition = ModelAgent(**{"name": "writer", "system_prompt": "Write.", **fields})
    return ModelAgentRunner(definition, chosen, tools)


def call(agent: Agent, text: str, run: NotedRun | None = None) -> AgentResult:
    """Return the result of a call."""
    return asyncio.run(asyncio.wait_for(agent.call(text, run or NotedRun()), MOST_SECONDS))
