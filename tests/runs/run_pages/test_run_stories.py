"""What is kept of a run as its events tell it."""

from __future__ import annotations

from typing import Any

from stringd_runs.messages.run_progress import RunState
from stringd_runs.run_pages.excerpt import Excerpt
from stringd_runs.run_pages.flow_nodes import NodeState
from stringd_runs.run_pages.run_entries import CallEntry, CallState, Note, Said, Thought, ToolUsed
from stringd_runs.run_pages.run_story import LARGEST, MOST_ENTRIES, RunStory
from stringd_runs.run_pages.story_events import follow

USAGE = {"promptTokens": 2, "completionTokens": 1}


def agent(name: str) -> dict[str, Any]:
    """Return the tree of a step."""
    return {"type": "agent", "name": name}


def flow(*steps: dict[str, Any], kind: str = "sequential", **options: Any) -> dict[str, Any]:
    """Return the tree of a flow."""
    return {"type": kind, "name": kind, "steps": list(steps), **options}


def begun(tree: dict[str, Any]) -> RunStory:
    """Return the story of a run that has just been started."""
    story = RunStory()
    follow(story, {"type": "strategy_started", "strategyName": "s", "agents": [], "flowTree": tree})
    return story


def step(story: RunStory, name: str, text: str = "") -> None:
    """Begin a top-level step."""
    follow(story, {"type": "step_started", "stepName": name, "message": text})


def stream(story: RunStory, name: str, **event: Any) -> None:
    """Stream an event of an agent."""
    follow(story, {"type": "agent_streaming", "agentName": name, "event": event})


def answer(story: RunStory, name: str, text: str, **more: Any) -> None:
    """Have an agent answer."""
    follow(story, {"type": "agent_output", "agentName": name, "text": text, "usage": USAGE, **more})


def complete(story: RunStory, name: str) -> None:
    """Complete a top-level step."""
    result = {"text": "", "usage": USAGE}
    follow(story, {"type": "step_completed", "stepName": name, "result": result})


def states(story: RunStory) -> dict[str, str]:
    """Return the states of all steps by their keys."""
    assert story.flow
    return {it.key: str(it.state) for it in story.flow.all()}


def test_steps_of_the_same_name_are_told_apart_by_their_order() -> None:
    story = begun(flow(agent("a"), agent("b"), agent("a")))
    for name in ("a", "b"):
        step(story, name)
        answer(story, name, "x")
        complete(story, name)
    step(story, "a")
    assert states(story) == {"0": "active", "0.0": "done", "0.1": "done", "0.2": "active"}


def test_agents_of_nested_flows_belong_to_the_step_that_is_active() -> None:
    inner = {**flow(agent("a"), agent("b")), "name": "inner"}
    story = begun(flow(inner, agent("a")))
    step(story, "inner", "the task")
    stream(story, "a", type="step-start")
    assert states(story)["0.0.0"] == "active"
    answer(story, "a", "x")
    stream(story, "b", type="text", text="y")
    assert states(story)["0.0"] == "active"
    answer(story, "b", "y")
    complete(story, "inner")
    inner_states = {key: it for key, it in states(story).items() if key != "0"}
    assert inner_states == {"0.0": "done", "0.0.0": "done", "0.0.1": "done", "0.1": "idle"}
    calls = [it for it in story.entries if isinstance(it, CallEntry)]
    assert [it.given.text if it.given else "" for it in calls] == ["the task", ""]


def test_the_rounds_of_a_cycle_are_counted() -> None:
    story = begun(flow(agent("a"), kind="cycle", cycles="Infinity", observer=agent("o")))
    for _ in range(3):
        for name in ("a", "o"):
            step(story, name)
            answer(story, name, "x")
            complete(story, name)
    assert story.flow
    assert story.flow.round == 3
    assert story.flow.extras["observer"].calls == 3
    assert (story.steps, story.tokens, story.cost) == (6, 18, None)


def test_of_steps_in_parallel_the_one_that_has_failed_is_blamed() -> None:
    story = begun(flow(agent("a"), agent("b"), kind="broadcast"))
    for name in ("a", "b"):
        step(story, name)
        stream(story, name, type="text", text="x")
    error = {"code": "EXECUTION_ERROR", "message": "b has no steps left"}
    follow(story, {"type": "strategy_error", "error": error})
    assert states(story) == {"0": "failed", "0.0": "stopped", "0.1": "failed"}
    calls = [it.state for it in story.entries if isinstance(it, CallEntry)]
    assert calls == [CallState.STOPPED, CallState.FAILED]
    assert story.state is RunState.FAILED


def test_costs_are_added_up_where_they_are_known() -> None:
    story = begun(flow(agent("a"), agent("b")))
    for name, cost in (("a", {}), ("b", {"cost": 0.5})):
        step(story, name)
        answer(story, name, "x", **cost)
        complete(story, name)
    assert story.cost == 0.5
    assert story.flow
    assert [it.cost for it in story.flow.steps] == [None, 0.5]


def test_tools_and_thoughts_are_parts_of_a_call() -> None:
    story = begun(flow(agent("a")))
    step(story, "a")
    stream(story, "a", type="thinking-start", id="1")
    stream(story, "a", type="thinking", id="1", text="hm")
    stream(story, "a", type="thinking-end", id="1")
    stream(story, "a", type="tool-call", toolCallId="t", toolName="file", args="{}")
    failed = {"output": "", "status": "error", "error": "no"}
    stream(story, "a", type="tool-result", toolCallId="t", toolName="file", **failed)
    stream(story, "a", type="text", text="pie")
    stream(story, "a", type="text", text="ces")
    answer(story, "a", "pieces")
    call = story.entries[-1]
    assert isinstance(call, CallEntry)
    thought, tool, said = call.parts
    assert isinstance(thought, Thought)
    assert isinstance(tool, ToolUsed)
    assert isinstance(said, Said)
    assert tool.output
    assert (thought.text.text, tool.output.text, said.text.text) == ("hm", "no", "pieces")
    assert tool.has_failed


def test_a_story_is_bounded_in_number_and_in_size() -> None:
    story = begun(flow(agent("a"), kind="cycle", cycles="Infinity"))
    for number in range(MOST_ENTRIES * 3):
        step(story, "a")
        stream(story, "a", type="tool-call", toolCallId="t", toolName="file", args="x" * 100_000)
        answer(story, "a", str(number) * 100_000)
        complete(story, "a")
    assert len(story.entries) <= MOST_ENTRIES
    assert story.dropped + len(story.entries) == MOST_ENTRIES * 3 + 1
    assert sum(it.size for it in story.entries) < LARGEST * 1.2


def test_events_of_damaged_histories_are_left_out() -> None:
    story = begun(flow(agent("a")))
    for message in (
        {"type": "agent_output"},
        {"type": "agent_streaming", "agentName": 1, "event": None},
        {"type": "strategy_started", "strategyName": "t", "flowTree": {"type": "x", "name": 1}},
        {"type": "strategy_error", "error": "oops"},
        {"type": 7},
        {},
    ):
        follow(story, message)
    step(story, "a")
    answer(story, "a", "fine")
    assert story.flow
    assert story.flow.steps[0].state in (NodeState.ACTIVE, NodeState.IDLE)


def test_a_steering_text_is_a_note() -> None:
    story = begun(flow(agent("a")))
    follow(story, {"type": "steer_queued", "text": "be brief"})
    note = story.entries[-1]
    assert isinstance(note, Note)
    assert (note.kind, note.text.text) == ("steer", "be brief")


def test_an_excerpt_keeps_the_beginning_and_the_end() -> None:
    excerpt = Excerpt(head=10, tail=5)
    for number in range(100):
        excerpt.add(f"{number:02}")
    assert (excerpt.length, excerpt.head) == (200, "0001020304")
    assert excerpt.tail.endswith("979899")
    assert len(excerpt) <= 20
    assert f"[… {excerpt.omitted:,} characters are left out here]" in excerpt.text
    assert Excerpt("short").text == "short"


def test_where_the_latest_text_begins_rarely_moves() -> None:
    excerpt, beginnings = Excerpt(), set()
    for number in range(2_000):
        excerpt.add(f"{number:04}")
        latest = excerpt.latest(1_000)
        assert latest.endswith(f"{number:04}")
        assert len(latest) <= 1_000
        beginnings.add(excerpt.length - len(latest))
    assert len(beginnings) <= 8_000 // 500 + 1
