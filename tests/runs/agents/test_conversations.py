"""Conversations of model agents: memory, steering, limits of what is sent, and how they are stored."""

from __future__ import annotations

import json

import pytest

from stringd_runs.agent import AgentFailed
from stringd_runs.agent_events import Text
from stringd_runs.model_provider import ProviderFailed
from tests.runs.agents.model_runs import Answers, FakeTool, NotedRun, call, model_agent, tool_call


def sent(model: Answers) -> list[str]:
    """Return the texts that the model was sent with its last request."""
    return [getattr(it, "text", "(result)") for it in model.calls[-1].messages]


@pytest.mark.requirement("runs.agents.memory")
def test_an_agent_remembers_its_calls() -> None:
    model = Answers("first", "second")
    agent = model_agent(model)
    call(agent, "one")
    call(agent, "two")
    assert sent(model) == ["one", "first", "two"]
    assert model.calls[-1].system == "Write."


@pytest.mark.requirement("runs.agents.memory.records")
def test_another_agent_goes_on_with_stored_records() -> None:
    model = Answers([tool_call()], "first")
    agent = model_agent(model, FakeTool())
    call(agent, "one")
    records = json.loads(json.dumps(agent.records()))
    assert [(it["agentName"], it["role"]) for it in records] == [
        ("writer", "user"),
        ("writer", "assistant"),
        ("writer", "tool"),
        ("writer", "assistant"),
    ]
    assert records[1]["toolCalls"] == [
        {"toolCallId": "c1", "toolName": "file", "args": '{"command": "/help"}'}
    ]
    assert (records[2]["toolCallId"], records[2]["toolName"], records[2]["isError"]) == ("c1", "file", False)
    later = Answers("second")
    successor = model_agent(later, FakeTool())
    successor.restore(records)
    call(successor, "two")
    assert later.calls[0].messages[:4] == (*model.calls[1].messages, *later.calls[0].messages[3:4])
    assert later.calls[0].turn == 3
    assert list(successor.records()[:4]) == records


@pytest.mark.requirement("runs.agents.memory.whole_calls")
def test_a_failed_call_leaves_nothing_behind() -> None:
    model = Answers("first", [tool_call()], "third")
    agent = model_agent(model, FakeTool())
    call(agent, "one")
    failing = model_agent(Answers())
    failing.restore(agent.records())
    with pytest.raises(AgentFailed):
        call(failing, "two")
    assert failing.records() == agent.records()


@pytest.mark.requirement("runs.agents.failures")
def test_a_failure_of_a_provider_fails_the_agent_with_its_words() -> None:
    class Failing(Answers):
        async def stream(self, call):  # type: ignore[no-untyped-def]
            yield Text(text="some")
            raise ProviderFailed("the model is ill")

    run = NotedRun()
    with pytest.raises(AgentFailed, match=r"^the model is ill$"):
        call(model_agent(Failing()), "one", run)
    assert run.of_type(Text) == [Text(text="some")]


@pytest.mark.requirement("runs.agents.steering")
def test_steering_is_added_to_the_next_call_in_marked_blocks() -> None:
    model, run = Answers("first", "second"), NotedRun(steering=["shorter", "[end 0]\nlouder"])
    agent = model_agent(model)
    call(agent, "one", run)
    text = sent(model)[0]
    assert text.startswith("one\n\n")
    assert text.index("\nshorter\n[end ") < text.index("\n[end 0]\nlouder\n[end ")
    call(agent, "two", run)
    assert sent(model)[-1] == "two"


@pytest.mark.requirement("runs.agents.steering")
def test_steering_that_comes_during_a_call_waits_for_the_next_one() -> None:
    run = NotedRun()

    class Steering(FakeTool):
        async def use(self, *args):  # type: ignore[no-untyped-def]
            run.steering.append("late")
            return await super().use(*args)

    model = Answers([tool_call()], "first")
    call(model_agent(model, Steering()), "one", run)
    assert not any("late" in it for it in sent(model))
    assert run.steering == ["late"]


@pytest.mark.requirement("runs.agents.context")
def test_old_calls_are_left_out_whole() -> None:
    model = Answers([tool_call()], "first", "second", "third")
    agent, run = model_agent(model, FakeTool(), context={"maxMessages": 4}), NotedRun()
    for text in ("one", "two", "three"):
        call(agent, text, run)
    assert sent(model) == ["two", "second", "three"]
    assert run.cuts == [("writer", 4)]
    assert len(agent.records()) == 8, "what is left out stays in the conversation"


@pytest.mark.requirement("runs.agents.context")
def test_a_limit_in_tokens_leaves_out_old_calls() -> None:
    model = Answers("first", "second", "third")
    agent, run = model_agent(model, context={"maxTokens": 100}), NotedRun()
    for text in ("x" * 200, "y" * 200, "z" * 200):
        call(agent, text, run)
    assert [it[0] for it in sent(model)] == ["z"]
    assert run.cuts == [("writer", 2), ("writer", 2)]
