"""`stringd run` at a real terminal: texts as they arrive, the line below them, questions, Ctrl-C."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cli.terminal import CTRL_C, CTRL_D, Terminal
from tests.runs.run_programs.conftest import (
    Stage,
    asked,
    completed,
    ended,
    failed,
    output,
    sent,
    started,
    step,
    streamed,
)

HANGING = {"start_run": [started(), step("writer"), streamed("writer", text="So far")]}
STOPPED = {**HANGING, "stop_run": [failed("CANCELLED", "stopped")]}
STATUS = "\x1bD\x1b[A\x1b7\r\x1b[B\x1b[J"


def shown(terminal: Terminal, until: str) -> str:
    """What a terminal shows up to a text, without the line of progress and colours."""
    text = re.sub(r"\x1bD\x1b\[A\x1b7.*?\x1b8", "", terminal.expect(until), flags=re.DOTALL)
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text).replace("\r\n", "\n")


@pytest.mark.requirement("runs.topics.streaming")
def test_texts_are_shown_as_they_arrive_and_the_result_once(stage: Stage) -> None:
    pieces = [streamed("writer", text="Hello "), {"wait": 0.05}, streamed("writer", text="there")]
    end = [output("writer", "Hello there"), ended("writer"), completed("Hello there")]
    stage.plays({"start_run": [started(), step("writer"), *pieces, *end]})
    with stage.sit_down("--input Hi") as terminal:
        text = shown(terminal, "code 0")
    assert text.count("Hello ") == 1
    assert "run r1 of notes: writer, critic\n" in text
    assert "── 1/2 writer\n" in text
    assert "there\ncompleted in 0:00, 1 step, 7 tokens\n" in text
    assert stage.awaits("start_run")["input"] == "Hi"


@pytest.mark.requirement("runs.topics.progress")
def test_line_of_progress_is_below_the_text_and_goes_on(stage: Stage) -> None:
    stage.plays(STOPPED)
    with stage.sit_down() as terminal:
        terminal.expect("So far")
        terminal.expect(f"{STATUS}\x1b[2m1/2 writer · answers · 0 tokens · 0:01")
        terminal.type(CTRL_C)
        terminal.expect("code 130")


@pytest.mark.requirement("runs.topics.narrow")
def test_line_of_progress_follows_the_size_of_the_terminal(stage: Stage) -> None:
    stage.plays(STOPPED)
    with stage.sit_down() as terminal:
        terminal.expect("So far")
        terminal.resize(24, 20)
        terminal.expect(f"{STATUS}\x1b[2m1/2 writer · answ…")
        terminal.type(CTRL_C)
        terminal.expect("code 130")


@pytest.mark.requirement("runs.topics.streaming")
def test_agents_that_talk_at_once_are_shown_one_after_the_other(stage: Stage) -> None:
    mixed = [streamed("a", text="A1 "), streamed("b", text="B1 "), streamed("a", text="A2")]
    end = [output("b", "B1 B2"), output("a", "A1 A2"), completed("A and B")]
    stage.plays({"start_run": [started(), step("panel"), *mixed, *end]})
    with stage.sit_down() as terminal:
        text = shown(terminal, "code 0")
    assert re.search(r"\na\nA1 A2\nb\nB1 B2\n", text)
    assert text.endswith("A and B\n")


@pytest.mark.long
def test_what_was_left_out_of_the_stream_is_shown(stage: Stage) -> None:
    end = [output("writer", "Hello there"), completed("Hello there")]
    stage.plays({"start_run": [started(), step("writer"), streamed("writer", text="Hello"), *end]})
    with stage.sit_down() as terminal:
        text = shown(terminal, "code 0")
    assert "\nHello there\n" in text


@pytest.mark.long
def test_tools_are_shown(stage: Stage) -> None:
    call = streamed("writer", "tool-call", toolCallId="1", toolName="topic_bash", args='{"command":"ls"}')
    result = streamed(
        "writer", "tool-result", toolCallId="1", toolName="topic_bash", output="", status="error", error="no"
    )
    stage.plays({"start_run": [started(), step("writer"), call, result, completed("x")]})
    with stage.sit_down() as terminal:
        text = shown(terminal, "code 0")
    assert 'writer calls topic_bash {"command":"ls"}\n' in text
    assert "topic_bash failed: no\n" in text


@pytest.mark.long
def test_control_characters_of_agents_do_not_reach_the_terminal(stage: Stage) -> None:
    stage.plays(
        {"start_run": [started(), step("\x1b]0;x\x07"), streamed("a", text="\x1b[2J"), completed("")]}
    )
    with stage.sit_down() as terminal:
        text = terminal.expect("code 0")
    assert "\x1b]0;" not in text
    assert "\x1b[2J" not in text
    assert r"\x1b[2J" in text


@pytest.mark.requirement("runs.topics.questions")
def test_question_is_answered_at_the_prompt(stage: Stage) -> None:
    stage.plays(
        {
            "start_run": [started(), step("critic"), asked("critic", "Well?\nReally.")],
            "user_input": [ended("critic"), completed("good")],
        }
    )
    with stage.sit_down() as terminal:
        terminal.expect("│ Well?")
        terminal.expect("│ Really.")
        terminal.expect("Answer: ")
        terminal.type("It is good\r")
        terminal.expect("code 0")
    answer = stage.awaits("user_input")
    assert (answer["runId"], answer["agentName"], answer["text"]) == ("r1", "critic", "It is good")


@pytest.mark.requirement("runs.topics.questions")
def test_question_that_is_answered_elsewhere_goes_away(stage: Stage) -> None:
    elsewhere = [{"wait": 0.3}, ended("critic"), completed("done elsewhere")]
    stage.plays({"start_run": [started(), step("critic"), asked("critic", "Well?"), *elsewhere]})
    with stage.sit_down() as terminal:
        terminal.expect("Answer: ")
        terminal.type("half an ans")
        terminal.expect("done elsewhere")
        terminal.expect("code 0")
    assert [it["type"] for it in stage.received] == ["prepare_run", "start_run"]


@pytest.mark.requirement("runs.topics.questions")
@pytest.mark.long
def test_what_arrives_while_somebody_types_is_shown_afterwards(stage: Stage) -> None:
    meanwhile = [{"wait": 0.2}, streamed("other", text="meanwhile"), output("other", "meanwhile")]
    stage.plays(
        {
            "start_run": [started(), step("critic"), asked("critic", "Well?"), *meanwhile],
            "user_input": [ended("critic"), completed("good")],
        }
    )
    with stage.sit_down() as terminal:
        terminal.expect("Answer: ")
        stage.awaits("start_run")
        terminal.type("yes\r")
        text = shown(terminal, "code 0")
    assert text.index("yes\n") < text.index("meanwhile")


def permission(number: int) -> dict[str, Any]:
    return sent(
        "request_permission",
        requestId=f"p{number}",
        agentName="writer",
        toolName="topic_bash",
        operation="run",
        resource=f"rm -r {number}",
        reason="asked by the policy",
        details={"topic": "bash:run-r1"},
    )


@pytest.mark.requirement("runs.topics.permissions")
def test_permissions_are_decided_with_a_key_each(stage: Stage) -> None:
    keys = {"y": "allow", "n": "deny", "a": "allow-session", "d": "deny-session"}
    wanted = [permission(number) for number in range(len(keys))]
    stage.plays({"start_run": [started(), step("writer"), *wanted], "stop_run": [failed("CANCELLED", "x")]})
    with stage.sit_down() as terminal:
        for number, key in enumerate(keys):
            text = terminal.expect("Allow? ")
            assert f"writer wants to use topic_bash: run rm -r {number}" in text
            assert "• topic: bash:run-r1" in text
            terminal.expect("run: ")
            terminal.type(key)
        stage.awaits("permission_decision", len(keys))
        terminal.type(CTRL_C)
        terminal.expect("code 130")
    answers = [it for it in stage.received if it["type"] == "permission_decision"]
    decided = [(it["permissionRequestId"], it["decision"]) for it in answers]
    assert decided == [(f"p{number}", decision) for number, decision in enumerate(keys.values())]


@pytest.mark.requirement("runs.topics.interrupt")
def test_ctrl_c_stops_the_run(stage: Stage) -> None:
    stage.plays(STOPPED)
    with stage.sit_down() as terminal:
        terminal.expect("So far")
        terminal.type(CTRL_C)
        text = terminal.expect("code 130")
    assert "Stopping the run" in text
    assert "cancelled in 0:0" in text
    assert stage.awaits("stop_run")["runId"] == "r1"


@pytest.mark.requirement("runs.topics.interrupt")
def test_second_ctrl_c_leaves_a_run_that_does_not_end(stage: Stage) -> None:
    stage.plays(HANGING)
    with stage.sit_down() as terminal:
        terminal.expect("So far")
        terminal.type(CTRL_C)
        terminal.expect("Stopping the run")
        terminal.type(CTRL_C)
        terminal.expect("code 130")


@pytest.mark.requirement("runs.topics.interrupt")
def test_ctrl_c_at_a_prompt_stops_the_run(stage: Stage) -> None:
    stage.plays(
        {
            "start_run": [started(), step("critic"), asked("critic", "Well?")],
            "stop_run": [failed("CANCELLED", "stopped")],
        }
    )
    with stage.sit_down() as terminal:
        terminal.expect("Answer: ")
        terminal.type(CTRL_C)
        terminal.expect("code 130")
    assert stage.awaits("stop_run")


@pytest.mark.long
def test_ctrl_d_at_a_prompt_leaves_the_run_alone(stage: Stage) -> None:
    stage.plays({"start_run": [started(), step("critic"), asked("critic", "Well?")]})
    with stage.sit_down() as terminal:
        terminal.expect("Answer: ")
        terminal.type(CTRL_D)
        terminal.expect("code 130")
    assert [it["type"] for it in stage.received] == ["prepare_run", "start_run"]


@pytest.mark.long
def test_daemon_that_goes_away_is_reported(stage: Stage) -> None:
    stage.plays({"start_run": [started(), step("writer"), {"close": 1001}]})
    with stage.sit_down() as terminal:
        text = shown(terminal, "code 1")
    assert "\nstringd: the connection to the daemon has ended; `stringd runs show r1`" in text


@pytest.mark.requirement("runs.topics.plain")
@pytest.mark.long
def test_no_colour_is_honoured(stage: Stage) -> None:
    stage.plays({"start_run": [started(), step("writer"), output("writer", "x"), completed("x")]})
    with stage.sit_down(NO_COLOR="1") as terminal:
        assert not re.search(r"\x1b\[[0-9;]*m", terminal.expect("code 0"))


@pytest.mark.requirement("runs.topics.plain")
@pytest.mark.long
def test_dumb_terminal_gets_plain_lines(stage: Stage) -> None:
    stage.plays({"start_run": [started(), step("writer"), output("writer", "x"), completed("x")]})
    with stage.sit_down(TERM="dumb") as terminal:
        assert "\x1b" not in terminal.expect("code 0")
