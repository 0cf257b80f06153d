"""People in runs: when they are asked, and who may answer through what."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import pytest

from stringd.plugin import ErrorCode, Questions, Unanswered
from stringd.testing.process import DaemonProcess
from stringd_runs.running import people
from stringd_runs.running.people import People
from tests.runs.clients import ENDS, PATIENCE, RunClient, run_client
from tests.runs.running.strategy_files import echo, person, sequential, write_strategy

LONG = "ä\0{input}" * 25_000


@pytest.fixture
def client(daemon: DaemonProcess) -> Iterator[RunClient]:
    with run_client(daemon) as connected:
        yield connected


def asking(daemon: DaemonProcess, client: RunClient, **config: Any) -> str:
    """Return a run that asks a person."""
    run_id = client.prepare(write_strategy(daemon, {"p": person("Which one?", **config)}))
    client.send("start_run", runId=run_id)
    assert client.until("request_input")[-1]["prompt"] == "Which one?"
    return run_id


def question(daemon: DaemonProcess) -> dict[str, Any]:
    """Return the only open question."""
    (found,) = daemon.request("GET", "/questions").json()["questions"]
    assert isinstance(found, dict)
    return found


def answer(daemon: DaemonProcess, question_id: str, text: str, user: str = "default") -> Any:
    """Answer a question of the list."""
    body = {"answer": text, "through": "test"}
    return daemon.request("POST", f"/questions/{question_id}", body, {"X-User-Id": user})


@pytest.mark.requirement("runs.people.asked")
def test_a_person_is_asked_when_nothing_comes_in(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = asking(daemon, client)
    client.send("user_input", runId=run_id, agentName="p", text="this")
    events = client.until(*ENDS)
    assert [it["type"] for it in events] == ["step_completed", "strategy_completed"]
    assert events[0]["result"]["text"] == events[1]["result"] == "this"


@pytest.mark.requirement("runs.people.asked")
@pytest.mark.parametrize(
    ("config", "text", "result"),
    [({}, "in", "in"), ({"requireInput": False, "presetMessage": "preset"}, "", "preset")],
)
def test_a_person_who_need_not_be_asked_is_not(
    daemon: DaemonProcess, client: RunClient, config: dict[str, Any], text: str, result: str
) -> None:
    events = client.run(write_strategy(daemon, {"p": person(**config)}), text)
    assert "request_input" not in {it["type"] for it in events}
    assert events[-1]["result"] == result


@pytest.mark.requirement("runs.people.asked")
def test_a_person_is_always_asked_if_the_strategy_says_so(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = client.prepare(write_strategy(daemon, {"p": person(always=True)}))
    client.send("start_run", runId=run_id, input="What now?")
    assert client.until("request_input")[-1]["prompt"] == "What now?"
    client.send("user_input", runId=run_id, agentName="p", text="")
    assert client.until(*ENDS)[-1]["result"] == ""


@pytest.mark.requirement("runs.people.bytes")
def test_an_answer_is_taken_byte_for_byte(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = asking(daemon, client)
    client.send("user_input", runId=run_id, agentName="p", text=LONG)
    assert client.until(*ENDS)[-1]["result"] == LONG
    assert daemon.request("GET", "/questions").json()["questions"] == []


@pytest.mark.requirement("runs.people.unasked")
def test_an_answer_that_nobody_waits_for_is_refused(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = asking(daemon, client)
    for name, agent, said in (
        (run_id, "q", "'q' is not asked for input in this run; asked: 'p'."),
        ("unknown", "p", "The run unknown is not running."),
    ):
        refused = client.ask("user_input", runId=name, agentName=agent, text="x")
        assert (refused["code"], refused["message"]) == ("NO_PENDING_INPUT", said)
    with run_client(daemon) as other:
        other.send("subscribe", runId=run_id)
        assert other.is_silent()
        clients = {"client": client, "other": other}
        for name, it in clients.items():
            it.send("user_input", runId=run_id, agentName="p", text=name, requestId=name)
        received = {name: it.until(*ENDS) for name, it in clients.items()}
        winner = received["other"][-1]["result"]
        loser = next(it for it in clients if it != winner)
        assert clients[loser].ask("ping")["type"] == "pong"
        errors = [it for it in (*received[loser], *clients[loser].rest()) if it["type"] == "error"]
        assert [(it["code"], it["requestId"]) for it in errors] == [("NO_PENDING_INPUT", loser)]
        assert not any(it["type"] == "error" for it in received[winner])


@pytest.mark.requirement("runs.people.list")
def test_a_question_is_answered_in_the_list_by_anyone(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = asking(daemon, client)
    asked = question(daemon)
    assert (asked["kind"], asked["trust"], asked["user_id"]) == ("text", "anyone", "default")
    assert (asked["asked_by"], asked["topic"], asked["body"]) == ("runs", f"run:{run_id}", "Which one?")
    assert asked["expires"] is None
    assert answer(daemon, asked["id"], "by the list").status == 200
    assert client.until(*ENDS)[-1]["result"] == "by the list"


@pytest.mark.requirement("runs.people.first")
def test_the_first_answer_counts(daemon: DaemonProcess, client: RunClient) -> None:
    run_id = asking(daemon, client)
    asked = question(daemon)
    client.send("user_input", runId=run_id, agentName="p", text="socket")
    assert client.until(*ENDS)[-1]["result"] == "socket"
    late = answer(daemon, asked["id"], "list")
    assert (late.status, "default" in late.json()["message"]) == (409, True)


@pytest.mark.requirement("runs.people.parallel")
def test_several_people_are_asked_at_the_same_time(daemon: DaemonProcess, client: RunClient) -> None:
    flow = {**sequential("p", "q"), "type": "broadcast"}
    path = write_strategy(daemon, {"p": person("P?"), "q": person("Q?")}, flow)
    run_id = client.prepare(path)
    client.send("start_run", runId=run_id)
    client.until("request_input")
    client.until("request_input")
    client.send("user_input", runId=run_id, agentName="q", text="from q")
    client.send("user_input", runId=run_id, agentName="p", text="from p")
    assert client.until(*ENDS)[-1]["result"] == "from p\n\nfrom q"


@pytest.mark.requirement("runs.people.left")
def test_a_run_asks_on_after_its_starter_has_left(daemon: DaemonProcess) -> None:
    with run_client(daemon) as starter:
        run_id = asking(daemon, starter)
    with run_client(daemon) as other:
        assert other.ask("subscribe", runId="unknown")["code"] == "SUBSCRIBE_ERROR"
        other.send("subscribe", runId=run_id, afterSeq=0)
        assert other.until("request_input")[-1]["prompt"] == "Which one?"
        other.send("user_input", runId=run_id, agentName="p", text="from another")
        assert other.until(*ENDS)[-1]["result"] == "from another"


@pytest.mark.requirement("runs.people.steps")
def test_a_person_streams_nothing(daemon: DaemonProcess, client: RunClient) -> None:
    events = client.run(write_strategy(daemon, {"p": person(), "a": echo()}), "x")
    assert {it["agentName"] for it in events if "agentName" in it} == {"a"}


@dataclass
class FullList:
    """A list of questions that takes no more of them."""

    refused: int = 0

    async def ask(self, _: object, *, opened: object) -> None:
        self.refused += 1
        raise Unanswered(ErrorCode.TOO_MANY_QUESTIONS, f"{self.refused} questions are open already")


@pytest.mark.requirement("runs.people.list")
def test_a_full_list_is_tried_again_but_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> str:
        questions = FullList()
        asked = People(cast(Questions, questions), user_id="u", run_id="r")
        asking = asyncio.create_task(asked.ask("p", "Well?", lambda: None))
        async with asyncio.timeout(PATIENCE):
            while questions.refused < 5:
                await asyncio.sleep(0)
            asked.answer("p", "yes", "test")
            return await asking

    monkeypatch.setattr(people, "_RETRY_SECONDS", 0)
    assert asyncio.run(run()) == "yes"
    assert caplog.text.count("a question of run r is not listed") == 1
