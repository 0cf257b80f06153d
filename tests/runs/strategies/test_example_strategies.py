"""The strategies in `examples/strategies`: each runs as it is, and does what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.repository.tree import ROOT
from tests.runs.clients import Message, RunClient, run_client

EXAMPLES = ROOT / "examples" / "strategies"
NAMES = sorted(it.name for it in EXAMPLES.iterdir() if it.name != "README.md")
MODEL = "scripted/echo"


def scripted(daemon: DaemonProcess, name: str, **options: Any) -> Path:
    """Copy an example to the home, with options of the scripted provider for some agents."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    for agent, given in options.items():
        key = f"  {agent}:\n"
        assert text.count(key) == 1
        text = text.replace(key, f"{key}    providerOptions: {{scripted: {json.dumps(given)}}}\n")
    path = daemon.home / name
    path.write_text(text, encoding="utf-8")
    return path


def run(client: RunClient, path: Path, text: str, *answers: str, **fields: str) -> list[Message]:
    """Run a strategy with answers of people, and return its events."""
    waiting = list(answers)
    run_id = client.prepare(path, modelOverride=MODEL, **fields)
    client.send("start_run", runId=run_id, input=text)
    events = client.until("request_input", "strategy_completed", "strategy_error")
    while events[-1]["type"] == "request_input":
        answer = waiting.pop(0)
        client.send("user_input", runId=run_id, agentName=events[-1]["agentName"], text=answer)
        events += client.until("request_input", "strategy_completed", "strategy_error")
    assert waiting == []
    assert events[-1]["type"] == "strategy_completed", events[-1]
    return events


def answers_of(events: list[Message]) -> list[str]:
    """Whose answers were put out, in order."""
    return [it["agentName"] for it in events if it["type"] == "agent_output"]


def given_to(events: list[Message], step: str) -> str:
    """What a step was given."""
    (started,) = (it for it in events if it["type"] == "step_started" and it["stepName"] == step)
    text: str = started["message"]
    return text


@pytest.mark.requirement("runs.examples")
def test_there_are_the_six_strategies_that_the_page_lists() -> None:
    assert [it.partition(".")[0] for it in NAMES] == [
        "build",
        "plan",
        "questions",
        "review",
        "simplify",
        "translate-and-check",
    ]
    listed = re.findall(r"\[`(.+?)`\]\(\1\)", (EXAMPLES / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == NAMES


@pytest.mark.requirement("runs.examples")
@pytest.mark.parametrize("name", NAMES)
def test_each_runs_as_it_is_with_a_scripted_model(daemon: DaemonProcess, name: str) -> None:
    path = scripted(daemon, name)
    said = ("done",) if name.split(".")[0] in {"plan", "questions"} else ()
    with run_client(daemon) as client:
        events = run(client, path, "Good morning.", *said)
        assert "Good morning." in events[-1]["result"]
        # Without a key, the models that the file names are refused by name, with the line.
        reply = client.ask("prepare_run", strategyPath=str(path))
        assert (reply["type"], reply["code"]) == ("error", "PREPARE_FAILED")
        assert re.search(rf"anthropic.*\n{re.escape(str(path))}:\d+\Z", reply["message"])


@pytest.mark.requirement("runs.examples", "runs.flows.cycle")
def test_build_works_until_the_checker_accepts(daemon: DaemonProcess) -> None:
    project = daemon.home / "project"
    project.mkdir()
    shell = {"name": "bash", "args": {"command": "echo made > made.txt"}}
    file = {"name": "file", "args": {"command": "/exec cat made.txt > copied.txt"}}
    builder = {"reply": "Report.", "toolCalls": [[shell, file]]}
    checker = {"reply": "Objection {turn}."}
    path = scripted(daemon, "build.yaml", builder=builder, checker=checker)
    with run_client(daemon) as client:
        events = run(client, path, "Make it.", cwd=str(project))
        assert (project / "copied.txt").read_text(encoding="utf-8") == "made\n"
        assert answers_of(events) == ["planner", *["builder", "checker"] * 4, "builder"]
        assert events[-1]["result"] == "Report."
        path = scripted(daemon, "build.yaml", checker={"reply": "accepted\nI ran the tests."})
        assert answers_of(run(client, path, "Make it.")) == ["planner", "builder", "checker"]


@pytest.mark.requirement("runs.examples")
def test_plan_and_questions_go_on_until_the_person_is_content(daemon: DaemonProcess) -> None:
    with run_client(daemon) as client:
        path = scripted(daemon, "questions.strategy.md", interviewer={"reply": "Brief {turn}: {input}"})
        events = run(client, path, "", "backups", "not done yet", "Done")
        assert [it["prompt"] for it in events if it["type"] == "request_input"] == [
            "What would you like to have?",
            "Brief 1: backups",
            "Brief 2: not done yet",
        ]
        assert events[-1]["result"] == "Brief 2: not done yet"
        path = scripted(daemon, "plan.strategy.md", planner={"reply": "Plan {turn}."})
        events = run(client, path, "Move.", "shorter", "ok")
        assert answers_of(events) == ["planner", "sceptic", "planner", "planner"]
        assert events[-1]["result"] == "Plan 3."


@pytest.mark.requirement("runs.examples", "runs.flows.broadcast")
def test_review_gives_all_reviewers_the_same_change(daemon: DaemonProcess) -> None:
    reviewers = ("correctness", "security", "clarity")
    scripts = {it: {"reply": f"{it} of {{input}}"} for it in reviewers}
    path = scripted(daemon, "review.strategy.md", editor={"reply": "Review."}, **scripts)
    with run_client(daemon) as client:
        events = run(client, path, "c0ffee")
        assert given_to(events, "editor") == "\n\n----\n\n".join(f"{it} of c0ffee" for it in reviewers)
        assert events[-1]["result"] == "Review."


@pytest.mark.requirement("runs.examples")
def test_simplify_ends_when_nothing_differs(daemon: DaemonProcess) -> None:
    path = scripted(daemon, "simplify.yaml", comparer={"reply": "SAME"})
    with run_client(daemon) as client:
        assert answers_of(run(client, path, "a.py")) == ["surveyor", "simplifier", "comparer"]


@pytest.mark.requirement("runs.examples")
def test_translate_and_check_shows_the_original_to_those_who_check(daemon: DaemonProcess) -> None:
    scripts = {
        "translator": {"reply": "Guten Morgen."},
        "meaning": {"reply": "No differences."},
        "style": {"reply": "It reads well."},
        "editor": {"reply": "Guten Morgen!"},
    }
    path = scripted(daemon, "translate-and-check.yaml", **scripts)
    with run_client(daemon) as client:
        events = run(client, path, "Good morning.")
        pair = "Good morning.\n\n--- translation ---\n\nGuten Morgen."
        assert given_to(events, "check") == pair
        findings = "\n\n--- findings ---\n\n".join([pair, "No differences.", "It reads well."])
        assert given_to(events, "editor") == findings
        assert events[-1]["result"] == "Guten Morgen!"
