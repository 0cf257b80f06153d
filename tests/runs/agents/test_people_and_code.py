"""Agents that are people, and agents that are code of plugins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from stringd_runs.agent import Agent, AgentFailed
from stringd_runs.agent_events import AgentResult, Usage
from stringd_runs.agents.agent_types import AgentCall, AgentType
from stringd_runs.agents.code_agent import CodeAgentRunner
from stringd_runs.agents.person_agent import PersonAgent
from stringd_runs.strategies.strategy import CodeAgent, Person
from tests.runs.agents.model_runs import Answers, FakeTool, NotedRun, call, model_agent, tool_call


@pytest.mark.requirement("runs.agents.people")
@pytest.mark.parametrize(
    ("incoming", "fields", "expected"),
    [
        ("", {}, "said to: Who are you?"),
        ("hello", {}, "hello"),
        ("hello", {"asks_always": True}, "said to: hello"),
        ("", {"asks_always": True}, "said to: Who are you?"),
        ("", {"requires_input": False}, ""),
        ("", {"requires_input": False, "preset_message": "preset"}, "preset"),
        ("hello", {"preset_message": "preset"}, "hello"),
        ("", {"preset_message": "preset"}, "said to: Who are you?"),
    ],
)
def test_when_a_person_is_asked(incoming: str, fields: dict[str, object], expected: str) -> None:
    person = PersonAgent(Person(name="you", description="Who are you?", **fields))  # type: ignore[arg-type]
    assert call(person, incoming, NotedRun(said=lambda agent, prompt: f"said to: {prompt}")).text == expected


@pytest.mark.requirement("runs.agents.people")
def test_an_empty_answer_gives_way_to_the_preset_message() -> None:
    person = PersonAgent(Person(name="you", preset_message="preset"))
    assert call(person, "").text == "preset"


@pytest.mark.requirement("runs.agents.people")
def test_what_people_say_is_remembered() -> None:
    person = PersonAgent(Person(name="you"))
    call(person, "hello\0{input}")
    successor = PersonAgent(Person(name="you"))
    successor.restore(person.records())
    call(successor, "again")
    assert [(it["role"], it["text"]) for it in successor.records()] == [
        ("user", "hello\0{input}"),
        ("user", "again"),
    ]


def code_agent(answer: Callable[[AgentCall], Awaitable[str | AgentResult]]) -> CodeAgentRunner:
    agent_type = AgentType(name="counter", answer=answer)
    return CodeAgentRunner(CodeAgent(name="count", type="counter", config={"by": 2}), agent_type)


async def count(call: AgentCall) -> str:
    return f"{call.agent} {call.text} {call.config['by'] * (len(call.earlier) + 1)}"


@pytest.mark.requirement("runs.agents.code")
def test_code_answers_and_remembers() -> None:
    agent = code_agent(count)
    assert call(agent, "a").text == "count a 2"
    assert call(agent, "b").text == "count b 4"
    successor = code_agent(count)
    successor.restore(agent.records())
    assert call(successor, "c").text == "count c 6"


@pytest.mark.requirement("runs.agents.memory.records")
@pytest.mark.parametrize("before", ["model", "person", "code"])
@pytest.mark.parametrize("after", ["model", "person", "code"])
def test_an_agent_may_become_one_of_another_type(before: str, after: str) -> None:
    def made(kind: str) -> Agent:
        agents: dict[str, Agent] = {
            "model": model_agent(Answers([tool_call()], "first", "second"), FakeTool(), name="count"),
            "person": PersonAgent(Person(name="count")),
            "code": code_agent(count),
        }
        return agents[kind]

    earlier, later = made(before), made(after)
    call(earlier, "one")
    later.restore(earlier.records())
    restored = len(later.records())
    assert call(later, "two").text
    assert len(later.records()) > restored


@pytest.mark.requirement("runs.agents.code")
def test_code_may_return_a_whole_result() -> None:
    async def spend(call: AgentCall) -> AgentResult:
        return AgentResult(text="x", usage=Usage(prompt_tokens=3))

    assert call(code_agent(spend), "a").usage.prompt_tokens == 3


@pytest.mark.requirement("runs.agents.code")
def test_code_fails_its_agent_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    async def crash(call: AgentCall) -> str:
        raise KeyError("secret")

    with pytest.raises(AgentFailed, match=r"^count failed with KeyError: see the log$"):
        call(code_agent(crash), "a")
    assert "KeyError: 'secret'" in caplog.text

    async def refuse(call: AgentCall) -> str:
        raise AgentFailed("not today")

    with pytest.raises(AgentFailed, match=r"^not today$"):
        call(code_agent(refuse), "a")


@pytest.mark.requirement("runs.agents.code")
@pytest.mark.parametrize("name", ["llm", "user", "Counter", "a b", "", None])
def test_a_type_needs_a_name_of_its_own(name: Any) -> None:
    with pytest.raises(ValueError, match="needs a lower-case name of its own"):
        AgentType(name=name, answer=count)


@pytest.mark.requirement("runs.agents.code")
def test_a_type_needs_an_async_function() -> None:
    with pytest.raises(TypeError, match="need an async function"):
        AgentType(name="counter", answer=lambda _: "x")  # type: ignore[arg-type, return-value]


@pytest.mark.requirement("runs.agents.code")
def test_an_answer_of_another_type_fails_the_agent() -> None:
    async def answer(call: AgentCall) -> str:
        return 7  # type: ignore[return-value]

    with pytest.raises(AgentFailed, match="answered with int, which is not a text"):
        call(code_agent(answer), "a")


@pytest.mark.requirement("runs.agents.code")
@pytest.mark.parametrize("fields", [{"text": 7}, {"text": "x", "usage": {"promptTokens": 1}}])
def test_a_result_without_text_or_usage_fails_the_agent(fields: dict[str, Any]) -> None:
    async def answer(call: AgentCall) -> AgentResult:
        return AgentResult(**fields)

    with pytest.raises(AgentFailed, match="count failed with TypeError"):
        call(code_agent(answer), "a")
