"""Topics that are runs: open, start, steer, answer, stop, continue, and what they show."""

from __future__ import annotations

import http.client
import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess, Events
from stringd_runs.messages.run_progress import MOST_STEPS
from tests.runs.clients import run_client

PATIENCE = 20.0
ECHO = {"model": "scripted/echo"}
ASKS = {"type": "user", "description": "What do you think?", "config": {"always": True}}
NEVER_ENDS = {**ECHO, "providerOptions": {"scripted": {"chunkDelayMs": 60_000, "chunks": 2, "reply": "a b"}}}


def says(reply: str) -> dict[str, Any]:
    return {**ECHO, "providerOptions": {"scripted": {"reply": reply}}}


def strategy(daemon: DaemonProcess, agents: dict[str, Any], **options: Any) -> Path:
    """A strategy whose flow has all agents as its steps, in the home of the user."""
    path = daemon.home / "s.json"
    steps = [{"agent": it} for it in agents]
    flow = {"name": "main", "type": "sequential", "steps": steps, **options}
    text = {"name": "notes", "version": "1", "agents": agents, "flow": flow}
    path.write_text(json.dumps(text), encoding="utf-8")
    return path


class RunTopic:
    """The topic of a new run."""

    def __init__(self, daemon: DaemonProcess) -> None:
        self._daemon = daemon
        # The store of a daemon that tests share has the runs of all of them.
        self.name = f"run:{uuid.uuid4().hex}"

    def __call__(self, cmd: str, *, user: str = "default", request_id: str | None = None) -> Events:
        """Send a command."""
        return self._daemon.exec(cmd, self.name, user, request_id)


@pytest.fixture
def run(daemon: DaemonProcess) -> RunTopic:
    """The topic of a run that does not exist yet."""
    return RunTopic(daemon)


def body(events: Events) -> str:
    return events.content.partition("\n---\n")[2]


def await_info(run: RunTopic, text: str) -> str:
    """Wait until `/info` shows a text, and return what it shows."""
    deadline = time.monotonic() + PATIENCE
    while text not in (shown := run("/info").content):
        assert time.monotonic() < deadline, f"no {text!r} in {shown}"
        time.sleep(0.02)
    return shown


@pytest.mark.requirement("runs.topics.open")
def test_open_prepares_a_strategy(daemon: DaemonProcess, run: RunTopic) -> None:
    strategy(daemon, {"writer": ECHO, "critic": ECHO})
    opened = run("/open s.json")
    assert opened.content.startswith("re: /open s.json\nPrepared notes\n---\n")
    assert body(opened).splitlines() == [
        "agents: writer, critic",
        "flow: sequential: writer, critic",
        "",
        "/start TEXT starts it",
    ]


@pytest.mark.requirement("runs.topics.start")
def test_start_waits_for_the_end_and_answers_with_the_result(daemon: DaemonProcess, run: RunTopic) -> None:
    strategy(daemon, {"writer": says("Draft: {input}"), "critic": says("Better: {input}")})
    run("/open s.json")
    started = run("/start Notes\nfor 4.2")
    assert "completed | 2 steps | " in started.content
    assert body(started) == "Better: Draft: Notes\nfor 4.2"


@pytest.mark.requirement("runs.topics.model")
def test_one_model_can_replace_all(daemon: DaemonProcess, run: RunTopic) -> None:
    strategy(daemon, {"writer": {"model": "nobody/nothing"}})
    assert run("/open s.json").head["code"] == "PREPARE_FAILED"
    assert run("/open s.json --model scripted/echo").head["ok"]
    assert body(run("/start hi")) == "hi"


def test_paths_that_are_allowed_later_can_be_opened(own_daemon: DaemonProcess, tmp_path: Path) -> None:
    path = strategy(own_daemon, {"writer": ECHO}).rename(tmp_path / "s.json")
    assert own_daemon.exec(f"/open {path}", "run:r1").head["code"] == "PREPARE_FAILED"
    fields = {"id": "default", "home": str(own_daemon.home), "allowedPaths": [str(tmp_path)]}
    own_daemon.request("POST", "/users", fields)
    assert own_daemon.exec(f"/open {path}", "run:r1").head["ok"]


@pytest.mark.requirement("runs.topics.answer")
@pytest.mark.parametrize("answer", ["/answer fine", "/answer ann fine", "/answer\nfine"])
def test_start_replies_with_a_question_that_is_answered(
    daemon: DaemonProcess, run: RunTopic, answer: str
) -> None:
    strategy(daemon, {"writer": says("Draft"), "ann": ASKS, "critic": says("Seen: {input}")})
    run("/open s.json")
    asked = run("/start x")
    assert "asks | ann\n---\nDraft\n" in asked.content
    assert "question: ann: Draft" in run("/info").content
    assert body(run(answer)) == "Seen: fine"


@pytest.mark.requirement("runs.topics.answer")
def test_question_is_in_the_list_of_questions(daemon: DaemonProcess, run: RunTopic) -> None:
    strategy(daemon, {"ann": ASKS})
    run("/open s.json")
    run("/start x")
    [question] = daemon.request("GET", "/questions?user_id=default").json()["questions"]
    assert (question["trust"], question["topic"]) == ("anyone", run.name)
    assert daemon.exec(f"/answer {question['id']} from elsewhere", "file:main").head["ok"]
    assert "status: completed" in await_info(run, "completed")


def test_nobody_is_asked(daemon: DaemonProcess, run: RunTopic) -> None:
    strategy(daemon, {"writer": ECHO})
    assert run("/answer x").head["code"] == "NO_PENDING_INPUT"
    run("/open s.json")
    assert run("/answer x").head["code"] == "NO_PENDING_INPUT"


@pytest.mark.requirement("runs.topics.steer")
def test_steering_is_given_to_the_next_call(daemon: DaemonProcess, run: RunTopic) -> None:
    strategy(daemon, {"writer": ECHO})
    run("/open s.json")
    assert run("/steer be short").content.endswith("Queued for the next call of a model.")
    assert "be short" in body(run("/start x"))
    assert run("/steer too late").head["code"] == "RUN_NOT_STEERABLE"
    assert run("/steer").head["code"] == "INVALID_PARAMS"


@pytest.mark.requirement("runs.topics.stop")
def test_stop_ends_a_run_that_another_command_waits_for(daemon: DaemonProcess, run: RunTopic) -> None:
    strategy(daemon, {"writer": NEVER_ENDS})
    run("/open s.json")
    run('/set {_timeout} = "0.2"')
    assert "running | 1/1 writer" in run("/start x").content
    assert run("/start again").head["code"] == "START_FAILED"
    assert run("/stop").content.endswith("Stopped.")
    assert "status: cancelled" in run("/info").content
    assert run("/stop").head["code"] == "NOT_FOUND"


@pytest.mark.requirement("runs.topics.stop")
def test_cancel_stops_a_run_that_no_command_waits_for(daemon: DaemonProcess, run: RunTopic) -> None:
    strategy(daemon, {"ann": ASKS})
    run("/open s.json")
    run("/start x")
    assert run("/cancel").head["ok"]
    await_info(run, "status: cancelled")


@pytest.mark.requirement("runs.topics.continue")
def test_continuation_runs_again_by_agents_that_remember(daemon: DaemonProcess, run: RunTopic) -> None:
    strategy(daemon, {"writer": says("{turn}: {input}")})
    run("/open s.json")
    assert body(run("/start one")) == "1: one"
    refused = run("/start two")
    assert refused.head["code"] == "START_FAILED"
    assert refused.content.endswith("\n/continue TEXT runs it again")
    assert body(run("/continue two")) == "2: two"
    assert body(run("/continue three")) == "3: three"


def test_continuation_of_nothing_is_refused(run: RunTopic) -> None:
    refused = run("/continue x")
    assert (refused.head["code"], "Run not found" in refused.content) == ("PREPARE_FAILED", True)


@pytest.mark.requirement("runs.topics.failure")
def test_failure_is_the_reply(daemon: DaemonProcess, run: RunTopic) -> None:
    failing = {**ECHO, "providerOptions": {"scripted": {"error": "no more tokens"}}}
    strategy(daemon, {"writer": failing})
    run("/open s.json")
    started = run("/start x")
    assert started.head["code"] == "EXECUTION_ERROR"
    assert "no more tokens" in started.content
    assert "failure: " in run("/info").content


@pytest.mark.requirement("runs.topics.info")
def test_info_has_status_steps_tokens_and_question(daemon: DaemonProcess, run: RunTopic) -> None:
    assert "status: no run; /open PATH prepares one" in run("/info").content
    strategy(daemon, {"writer": says("one two"), "ann": ASKS})
    run("/open s.json")
    assert "status: prepared" in run("/info").content
    run("/start x")
    shown = run("/info").content
    for line in ("status: running", "strategy: notes", "step: 2/2 ann", "tokens: 3", "active: ann is asked"):
        assert f"\n{line}\n" in shown


@pytest.mark.requirement("runs.topics.nav")
def test_nav_lists_steps(daemon: DaemonProcess, run: RunTopic) -> None:
    strategy(daemon, {"writer": says("a b"), "ann": ASKS, "critic": ECHO})
    assert body(run("/nav")) == "(none)"
    run("/open s.json")
    run("/start x")
    assert body(run("/nav")).splitlines() == [
        "1. writer  completed, 3 tokens",
        "2. ann  running",
        "3. critic  planned",
    ]


@pytest.mark.requirement("runs.topics.nav")
def test_nav_lists_the_latest_steps_of_a_long_cycle(own_daemon: DaemonProcess) -> None:
    strategy(own_daemon, {"writer": says("a")}, type="cycle", cycles=MOST_STEPS + 2)
    run = RunTopic(own_daemon)
    run("/open s.json")
    assert f"completed | {MOST_STEPS + 2} steps | " in run("/start x").content
    assert body(run("/nav")).splitlines()[0] == "3. writer  completed, 6 tokens"


@pytest.mark.requirement("runs.topics.refresh")
def test_refresh_is_the_transcript(daemon: DaemonProcess, run: RunTopic) -> None:
    assert run("/refresh").head["code"] == "NOT_FOUND"
    strategy(daemon, {"writer": says("Draft: {input}"), "critic": says("# Better")})
    run("/open s.json")
    assert body(run("/refresh")) == "Nothing was said yet."
    run("/start two\nlines")
    assert body(run("/refresh")).split("\n\n") == [
        "## writer",
        "> two\n> lines",
        "Draft: two\nlines",
        "## critic",
        "> Draft: two\n> lines",
        "# Better",
    ]


@pytest.mark.requirement("runs.topics.kept")
def test_run_outlives_its_topic_and_the_daemon(own_daemon: DaemonProcess) -> None:
    strategy(own_daemon, {"writer": says("{turn}: {input}")})
    own_daemon.exec("/open s.json", "run:r1")
    own_daemon.exec("/start one", "run:r1")
    own_daemon.exec("/close", "run:r1")
    own_daemon.restart()
    assert "status: completed" in own_daemon.exec("/info", "run:r1").content
    assert "1: one" in own_daemon.exec("/refresh", "run:r1").content
    assert body(own_daemon.exec("/continue two", "run:r1")) == "2: two"


@pytest.mark.requirement("runs.topics.kept", "runs.topics.continue")
def test_continuation_can_be_the_first_command_of_a_topic(own_daemon: DaemonProcess) -> None:
    strategy(own_daemon, {"writer": says("{turn}: {input}")})
    own_daemon.exec("/open s.json", "run:r1")
    own_daemon.exec("/start one", "run:r1")
    own_daemon.exec("/close", "run:r1")
    assert body(own_daemon.exec("/continue two", "run:r1")) == "2: two"
    own_daemon.restart()
    assert body(own_daemon.exec("/continue three", "run:r1")) == "3: three"
    own_daemon.exec("/close", "run:r1")
    own_daemon.exec("/open s.json", "run:r1")
    assert "status: prepared" in own_daemon.exec("/info", "run:r1").content


@pytest.mark.requirement("runs.topics.users")
def test_run_of_another_user_does_not_exist(daemon: DaemonProcess, run: RunTopic) -> None:
    daemon.register("bob")
    strategy(daemon, {"ann": ASKS})
    run("/open s.json")
    run("/start x")
    for cmd, code in (
        ("/answer x", "NO_PENDING_INPUT"),
        ("/stop", "NOT_FOUND"),
        ("/refresh", "NOT_FOUND"),
        ("/continue x", "PREPARE_FAILED"),
    ):
        assert run(cmd, user="bob").head["code"] == code
    assert "status: no run" in run("/info", user="bob").content


@pytest.mark.requirement("runs.topics.shared")
def test_run_of_a_topic_is_watched_and_answered_over_the_websocket(
    daemon: DaemonProcess, run: RunTopic
) -> None:
    strategy(daemon, {"writer": says("Draft: {input}"), "ann": ASKS})
    run("/open s.json")
    run_id = run.name.removeprefix("run:")
    with run_client(daemon) as client:
        client.send("subscribe", runId=run_id)
        assert client.ask("ping")["type"] == "pong"
        run("/start x")
        asked = client.until("request_input")
        assert asked[-1]["prompt"] == "Draft: x"
        client.send("user_input", runId=run_id, agentName="ann", text="over the socket")
        assert client.until("strategy_completed")[-1]["result"] == "over the socket"
        assert run_id in [it["runId"] for it in client.ask("list_runs")["runs"]]
    assert "status: completed" in run("/info").content
    assert run("/answer too late").head["code"] == "NO_PENDING_INPUT"


@pytest.mark.requirement("runs.topics.shared")
def test_run_of_the_websocket_is_described_answered_and_continued_in_its_topic(
    daemon: DaemonProcess, run: RunTopic
) -> None:
    path = strategy(daemon, {"writer": says("{turn}: {input}"), "ann": ASKS})
    run_id = run.name.removeprefix("run:")
    with run_client(daemon) as client:
        client.prepare(path, runId=run_id)
        assert "status: prepared" in run("/info").content
        client.send("start_run", runId=run_id, input="one")
        client.until("request_input")
        assert "question: ann: 1: one" in run("/info").content
        assert body(run("/answer in the topic")) == "in the topic"
        assert client.until("strategy_completed")[-1]["result"] == "in the topic"
        run("/continue two")
        assert client.until("request_input")[-1]["prompt"] == "2: two"
        run("/stop")
        assert client.until("strategy_error")[-1]["error"]["code"] == "CANCELLED"


@pytest.mark.requirement("runs.topics.shared")
def test_continuation_that_the_websocket_has_prepared_can_be_stopped_in_its_topic(
    daemon: DaemonProcess, run: RunTopic
) -> None:
    path = strategy(daemon, {"writer": says("{turn}: {input}")})
    run_id = run.name.removeprefix("run:")
    with run_client(daemon) as client:
        client.run(path, "one", runId=run_id)
        client.prepare(path, runId=run_id)
        assert "status: prepared" in run("/info").content
        assert run("/stop").content.endswith("Stopped.")
        assert client.until("strategy_error")[-1]["error"]["code"] == "CANCELLED"
    assert "status: cancelled" in run("/info").content


@pytest.mark.requirement("runs.topics.output")
def test_pieces_of_text_are_output_of_the_command_that_waits(daemon: DaemonProcess, run: RunTopic) -> None:
    scripted = {"scripted": {"reply": "one two three", "chunks": 3, "chunkDelayMs": 50}}
    strategy(daemon, {"writer": {**ECHO, "providerOptions": scripted}})
    run("/open s.json")
    with watching(daemon, f"/events?topic={run.name}&kinds=output,run-ended") as events_until:
        run("/start x", request_id="q9")
        events = events_until("run-ended")
    assert "".join(it["text"] for it in events[:-1]) == "one two three"
    assert {(it["source"], it["request_id"]) for it in events[:-1]} == {("writer", "q9")}


@pytest.mark.requirement("runs.topics.events")
def test_events_of_a_run_are_published(daemon: DaemonProcess, run: RunTopic) -> None:
    strategy(daemon, {"writer": says("Draft"), "ann": ASKS})
    run("/open s.json")
    run("/start x", request_id="q7")
    run("/answer fine")
    kinds = "run-started,run-step,run-asks,run-ended"
    with watching(daemon, f"/events?topic={run.name}&kinds={kinds}&after=0") as events_until:
        events = events_until("run-ended")
    fields = ("strategy", "step", "agent", "code")
    assert [(it["kind"], *(it[name] for name in fields if name in it)) for it in events] == [
        ("run-started", "notes"),
        ("run-step", "writer"),
        ("run-step", "ann"),
        ("run-asks", "ann"),
        ("run-ended", None),
    ]
    assert {(it["user_id"], it["topic"], it["request_id"]) for it in events} == {("default", run.name, "q7")}


@contextmanager
def watching(daemon: DaemonProcess, path: str) -> Iterator[Callable[[str], list[dict[str, Any]]]]:
    """A function that returns the events of a stream up to one of a kind; it has begun."""
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()

        def events_until(last: str) -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = []
            while not (found and found[-1].get("kind") == last):
                line = answer.readline()
                if line.startswith(b"data: "):
                    found.append(json.loads(line[6:]))
            return found

        yield events_until
    finally:
        connection.close()
