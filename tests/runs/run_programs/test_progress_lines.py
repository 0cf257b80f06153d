"""The line of progress of a run, and the texts of agents that talk at the same time."""

from __future__ import annotations

from typing import Any

import pytest

from stringd_runs.messages.run_progress import MOST_STEPS, RunProgress, RunState
from stringd_runs.run_programs.agent_texts import AgentTexts, Piece
from stringd_runs.run_programs.progress_line import clipped, clock, ending, progress_line

PREPARED = {
    "runId": "r1",
    "strategyName": "notes",
    "agents": ["writer", "critic"],
    "flowTree": {"type": "sequential", "steps": [{"name": "writer"}, {"name": "critic"}]},
}


def progress(*messages: dict[str, Any], prepared: dict[str, Any] = PREPARED) -> RunProgress:
    made = RunProgress()
    made.prepare(prepared["strategyName"], prepared["agents"], prepared["flowTree"])
    for message in messages:
        made.follow({"runId": "r1", **message})
    return made


def step(name: str) -> dict[str, Any]:
    return {"type": "step_started", "stepName": name, "message": ""}


def streamed(agent: str, event: dict[str, Any]) -> dict[str, Any]:
    return {"type": "agent_streaming", "agentName": agent, "event": event}


def output(agent: str, prompt: int, completion: int) -> dict[str, Any]:
    usage = {"promptTokens": prompt, "completionTokens": completion}
    return {"type": "agent_output", "agentName": agent, "text": "", "usage": usage}


@pytest.mark.requirement("runs.topics.progress")
def test_line_has_step_agent_tokens_and_time() -> None:
    call = {"type": "tool-call", "toolCallId": "1", "toolName": "topic_file", "args": "{}"}
    shown = progress(step("writer"), output("writer", 3, 20), step("critic"), streamed("critic", call))
    assert progress_line(shown, 75.0, 80) == "2/2 critic · calls topic_file · 23 tokens · 1:15"


def test_agents_of_a_nested_flow_are_named() -> None:
    shown = progress(
        step("panel"), streamed("a", {"type": "text", "text": "x"}), streamed("b", {"type": "thinking-start"})
    )
    assert progress_line(shown, 0.0, 80) == "1/2 panel · a answers, b thinks · 0 tokens · 0:00"


def test_agent_that_is_done_is_no_longer_active() -> None:
    text = streamed("writer", {"type": "text", "text": "x"})
    done = streamed("writer", {"type": "done", "result": {}})
    assert progress(step("writer"), text, output("writer", 1, 1), done).active == {}


def test_number_of_steps_is_left_out_if_they_are_repeated() -> None:
    tree = {"type": "cycle", "steps": [{"name": "writer"}, {"name": "critic"}]}
    assert progress(step("writer"), prepared={**PREPARED, "flowTree": tree}).place() == "1 writer"


def completed(name: str) -> dict[str, Any]:
    usage = {"promptTokens": 1, "completionTokens": 1}
    return {"type": "step_completed", "stepName": name, "result": {"text": "", "usage": usage}}


def test_nobody_is_asked_when_a_step_has_ended() -> None:
    asked = {"type": "request_input", "agentName": "ann", "prompt": "Well?"}
    nested = progress(step("panel"), asked)
    assert nested.asked == {"ann": "Well?"}
    nested.follow(completed("panel"))
    assert nested.asked == {}


def test_continuation_begins_anew() -> None:
    started = {"type": "strategy_started", **PREPARED}
    end = {"type": "strategy_completed", "result": "x"}
    again = progress(started, step("writer"), output("writer", 1, 1), completed("writer"), end, started)
    assert (again.state, again.begun_steps, again.tokens, again.result) == (RunState.RUNNING, 0, 0, "")
    assert not again.steps


@pytest.mark.requirement("runs.topics.progress")
def test_only_the_latest_steps_of_an_endless_cycle_are_remembered() -> None:
    rounds = MOST_STEPS + 3
    shown = progress(*(it("writer") for _ in range(rounds) for it in (step, completed)))
    assert (shown.begun_steps, len(shown.steps)) == (rounds, MOST_STEPS)
    assert shown.place() == f"{rounds} writer"
    assert all(it.is_completed for it in shown.steps)


@pytest.mark.requirement("runs.topics.narrow")
@pytest.mark.parametrize("width", range(1, 50))
def test_line_is_narrower_than_the_terminal(width: int) -> None:
    line = progress_line(progress(step("校閲")), 0.0, width)
    assert len(line) + line.count("校") + line.count("閲") < width


def test_control_characters_of_names_are_escaped() -> None:
    assert progress_line(progress(step("\x1b[2Jx")), 0.0, 80).startswith(r"1/2 \x1b[2Jx")


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (None, RunState.COMPLETED),
        ({"code": "EXECUTION_ERROR", "message": "no key"}, RunState.FAILED),
        ({"code": "CANCELLED", "message": "stopped"}, RunState.CANCELLED),
    ],
)
def test_summary_says_how_it_ended(error: dict[str, str] | None, state: RunState) -> None:
    end = (
        {"type": "strategy_error", "error": error} if error else {"type": "strategy_completed", "result": "x"}
    )
    shown = progress(step("writer"), end)
    reason = f": {error['message']}" if error else ""
    assert shown.state is state
    assert ending(shown, 2.0) == f"{state} in 0:02, 1 step, 0 tokens{reason}"


@pytest.mark.parametrize(("seconds", "text"), [(0.9, "0:00"), (61, "1:01"), (3661, "1:01:01"), (-1, "0:00")])
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_clipped_line_has_an_ellipsis() -> None:
    assert [clipped("abcdef", it) for it in (6, 5, 1, 0)] == ["abcdef", "abcd…", "…", ""]


def test_pieces_of_one_agent_are_shown_at_once() -> None:
    texts = AgentTexts()
    assert [*texts.add("a", "1"), *texts.add("a", "2")] == [Piece("a", "1", True), Piece("a", "2")]
    assert list(texts.end("a", "12")) == []


def test_agents_that_talk_at_once_are_shown_one_after_the_other() -> None:
    texts = AgentTexts()
    shown = [
        *texts.add("a", "1"),
        *texts.add("b", "x"),
        *texts.add("c", "7"),
        *texts.end("b", "xy"),
        *texts.add("a", "2"),
        *texts.end("a", "12"),
        *texts.add("c", "8"),
    ]
    assert shown == [
        Piece("a", "1", True),
        Piece("a", "2"),
        Piece("b", "xy", True),
        Piece("c", "7", True),
        Piece("c", "8"),
    ]


def test_what_was_left_out_of_the_stream_is_shown_in_the_end() -> None:
    texts = AgentTexts()
    assert [*texts.add("a", "12"), *texts.end("a", "1234")][-1] == Piece("a", "34")


def test_text_with_a_gap_is_shown_whole_in_the_end() -> None:
    texts = AgentTexts()
    assert [*texts.add("a", "14"), *texts.end("a", "1234")][-1] == Piece("a", "\n1234")


def test_answer_without_a_stream_is_shown() -> None:
    assert list(AgentTexts().end("a", "all")) == [Piece("a", "all", True)]
