"""`stringd run` without a terminal: plain lines, JSON, answers from standard input, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runs.run_programs.conftest import (
    PREPARED,
    Stage,
    asked,
    completed,
    ended,
    failed,
    output,
    started,
    step,
    streamed,
)


@pytest.mark.requirement("runs.topics.plain")
def test_result_is_the_only_output(stage: Stage) -> None:
    pieces = [streamed("writer", text="a\n"), streamed("writer", text="b"), output("writer", "a\nb")]
    stage.plays({"start_run": [started(), step("writer"), *pieces, ended("writer"), completed("a\nb")]})
    done = stage.run()
    assert (done.returncode, done.stdout) == (0, "a\nb\n")
    assert done.stderr.splitlines() == [
        "run r1 of notes: writer, critic",
        "step 1/2 writer",
        "writer has answered (7 tokens):",
        "  a",
        "  b",
        "completed in 0:00, 1 step, 7 tokens",
    ]


@pytest.mark.requirement("runs.topics.json")
def test_json_is_each_message_as_a_line(stage: Stage) -> None:
    messages = [started(), step("writer"), output("writer", "x"), completed("x\x1b")]
    stage.plays({"start_run": messages})
    done = stage.run("--json")
    assert [json.loads(line) for line in done.stdout.splitlines()] == messages
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


@pytest.mark.requirement("runs.topics.questions")
def test_lines_of_standard_input_answer_questions(stage: Stage) -> None:
    stage.plays(
        {
            "start_run": [started(), step("critic"), asked("critic", "Well?")],
            "user_input": [ended("critic"), completed("good")],
        }
    )
    done = stage.run(typed="first\nsecond\n")
    assert (done.returncode, done.stdout) == (0, "good\n")
    assert stage.awaits("user_input")["text"] == "first"


@pytest.mark.long
def test_last_line_needs_no_line_end(stage: Stage) -> None:
    stage.plays({"start_run": [started(), asked("critic", "Well?")], "user_input": [completed("good")]})
    assert stage.run(typed="last").returncode == 0
    assert stage.awaits("user_input")["text"] == "last"


@pytest.mark.requirement("runs.topics.questions")
@pytest.mark.long
def test_run_waits_for_somebody_else_when_standard_input_has_ended(stage: Stage) -> None:
    elsewhere = [{"wait": 0.3}, ended("critic"), completed("by another")]
    stage.plays({"start_run": [started(), step("critic"), asked("critic", "Well?"), *elsewhere]})
    done = stage.run()
    assert (done.returncode, done.stdout) == (0, "by another\n")
    assert "Standard input has ended" in done.stderr


@pytest.mark.long
def test_input_is_read_from_standard_input(stage: Stage) -> None:
    stage.plays({"start_run": [completed("")]})
    assert stage.run("--input", "-", typed="two\nlines\n").returncode == 0
    assert stage.awaits("start_run")["input"] == "two\nlines\n"


def test_strategy_model_and_directory_are_sent(stage: Stage) -> None:
    stage.plays({"start_run": [completed("")]})
    stage.run("--model", "scripted/echo")
    prepare = stage.awaits("prepare_run")
    assert (Path(prepare["strategyPath"]).name, prepare["modelOverride"]) == ("notes.yaml", "scripted/echo")
    assert "cwd" not in prepare, "the user may not access the working directory"


@pytest.mark.requirement("runs.topics.exit_codes")
@pytest.mark.parametrize(
    ("end", "code"),
    [(completed("x"), 0), (failed("EXECUTION_ERROR", "no key"), 1), (failed("CANCELLED", "by another"), 1)],
)
def test_exit_code_says_how_the_run_has_ended(stage: Stage, end: dict[str, object], code: int) -> None:
    stage.plays({"start_run": [started(), end]})
    done = stage.run()
    assert done.returncode == code
    assert code == 0 or "no key" in done.stderr or "by another" in done.stderr


@pytest.mark.requirement("runs.topics.exit_codes")
def test_strategy_that_cannot_be_prepared_fails_with_its_reason(stage: Stage) -> None:
    error = {"type": "error", "code": "PREPARE_FAILED", "message": "no agents: notes.yaml:3"}
    stage.plays({"prepare_run": [error]})
    done = stage.run()
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "stringd: no agents: notes.yaml:3\n")


@pytest.mark.long
def test_run_that_cannot_be_started_fails(stage: Stage) -> None:
    error = {"type": "error", "requestId": "start", "code": "START_FAILED", "message": "already started"}
    stage.plays({"prepare_run": [PREPARED], "start_run": [error]})
    assert stage.run().returncode == 1


@pytest.mark.requirement("runs.topics.exit_codes")
def test_misuse_has_its_exit_code(stage: Stage) -> None:
    assert stage.run("--dry", "--model", "a/b").returncode == 2
    assert stage.run("--nonsense").returncode == 2


@pytest.mark.long
def test_later_errors_are_notes(stage: Stage) -> None:
    error = {"type": "error", "code": "NO_PENDING_INPUT", "message": "already answered by ann"}
    stage.plays({"start_run": [started(), asked("critic", "?")], "user_input": [error, completed("x")]})
    done = stage.run(typed="yes\n")
    assert done.returncode == 0
    assert "already answered by ann" in done.stderr
