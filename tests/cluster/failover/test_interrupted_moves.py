"""What is sent while a home moves, and states that can't be read."""

from __future__ import annotations

import time
from concurrent.futures import Future

import pytest

from stringd.testing.process import HttpReply, parse_events
from tests.cluster.failover.conftest import Agent
from tests.protocol.waits import eventually

pytestmark = pytest.mark.long

GRACE_SECONDS = 10.0


def begun(agent: Agent, cmd: str, topic: str) -> Future[HttpReply]:
    answered = agent.begin(cmd, topic)
    assert eventually((agent.home / "begun").exists)
    return answered


@pytest.mark.requirement("moving.cancel")
def test_a_command_that_a_move_waits_for_can_be_cancelled(agent: Agent) -> None:
    agent("/info")
    answered = begun(agent, "/exec touch begun; sleep 60", "file:t")
    agent.order_away()
    started = time.monotonic()
    reply = agent.send(agent.cluster.nodes[0], {"topic": "file:t"}, "/cancel")
    assert (reply.status, reply.json()["cancelled"]) == (200, True), reply.text
    assert parse_events(answered.result(20)).head["code"] == "CANCELLED"
    assert time.monotonic() - started < GRACE_SECONDS / 2
    assert agent("/exec echo on", "file:t").head["ok"]


@pytest.mark.requirement("moving.cut")
def test_a_command_that_a_move_cuts_may_have_run(agent: Agent) -> None:
    agent("/info")
    body = {"cmd": "/exec touch begun; sleep 60", "topic": "file:t", "request_id": "r1"}
    answered = agent.begin(**body)
    assert eventually((agent.home / "begun").exists)
    waiting = agent.begin("/exec touch waited", "file:t")
    agent.order_away()
    cut = parse_events(answered.result(GRACE_SECONDS + 10))
    assert cut.head["code"] == "OUTCOME_UNKNOWN"
    assert "may have run in part" in cut.content
    # What had not begun waits for the new owner.
    assert parse_events(waiting.result(20)).head["ok"]
    assert (agent.home / "waited").exists()
    again = agent.send(agent.owner, body)
    assert (again.status, again.json()["error"]) == (503, "OUTCOME_UNKNOWN")
    assert "Retry-After" not in again.headers


@pytest.mark.requirement("moving.close")
def test_a_topic_that_is_closed_during_a_move_is_closed(agent: Agent) -> None:
    agent("/write a.md\n# A")
    agent("/open a.md")
    agent('/set {x} = "1"')
    begun(agent, "/exec touch begun; sleep 1", "file:t")
    agent.order_away()
    assert agent("/close").head["ok"]
    assert "history: 0" in agent("/info").content
    assert "{x}" not in agent("/set").content
    reply = agent.send(agent.other, None, f"/sessions/{agent.user}/file:t", "DELETE")
    assert reply.json()["deleted"], reply.text


@pytest.mark.requirement("moving.locks")
def test_edits_of_one_file_during_a_move_lose_nothing(agent: Agent) -> None:
    agent("/write list.md\n0")
    sent = [agent.begin(f"/append list.md\n{number}", f"file:t{number}") for number in range(1, 9)]
    agent.order_away()
    sent += [agent.begin(f"/append list.md\n{number}", f"file:t{number}") for number in range(9, 17)]
    replies = [it.result(30) for it in sent]
    done = {
        str(number)
        for number, it in enumerate(replies, 1)
        if it.status == 200 and parse_events(it).head["ok"]
    }
    lines = (agent.home / "list.md").read_text(encoding="utf-8").split()
    assert len(lines) == len(set(lines))
    assert done <= set(lines)
    assert len(done) > 8


@pytest.mark.requirement("moving.once")
def test_a_request_that_was_answered_is_not_done_again_after_a_move(agent: Agent) -> None:
    first = agent("/exec echo x >> once; wc -l < once", "file:t", "r1")
    assert first.content.endswith("\n1")
    agent.fail_over()
    assert agent("/exec echo x >> once; wc -l < once", "file:t", "r1").content == first.content
    refused = agent("true", "bash:t", "r2")
    assert refused.head["ok"]


@pytest.mark.requirement("moving.damaged")
def test_a_state_that_cannot_be_read_is_set_aside(agent: Agent) -> None:
    agent("/write a.md\n# A", "file:bad")
    agent("/open a.md", "file:bad")
    agent("/open a.md", "file:good")
    agent.cluster.sql("UPDATE stringd.sessions SET state = '{\"document\": 7}' WHERE topic = 'file:bad'")
    agent.move()
    assert "a.md" in agent("/info", "file:good").content
    assert agent("/info", "file:bad").head["ok"]
    agent('/set {x} = "1"', "file:bad")
    kept = agent.cluster.sql("SELECT state FROM stringd.damaged_sessions WHERE topic = 'file:bad'")
    assert kept == '{"document": 7}'
    assert "the topic ann:file:bad can't be restored" in agent.owner.stderr()
