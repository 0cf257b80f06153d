"""With a store of requests, a command with a request id runs at most once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocol.waits import eventually
from tests.stores.conftest import Elsewhere


def told(answer: Any) -> Any:
    """What an answer says, without what belongs to the exchange."""
    return answer if isinstance(answer, int) else (answer.head["ok"], answer.head["code"], answer.content)


@pytest.mark.requirement("requests.once")
@pytest.mark.parametrize("cmd", ["/count", "/fail", "/nonsense", "/count x"])
def test_the_same_request_is_answered_as_the_first_time(elsewhere: Elsewhere, cmd: str) -> None:
    first = told(elsewhere.daemon.exec(cmd, "file:a", request_id="r1"))
    lines = elsewhere.lines()
    assert told(elsewhere.daemon.exec(cmd, "file:a", request_id="r1")) == first
    assert elsewhere.lines() == lines


@pytest.mark.requirement("requests.once")
def test_other_ids_other_topics_and_none_run_again(elsewhere: Elsewhere) -> None:
    for topic, request_id in (("file:a", "r1"), ("file:a", "r2"), ("file:b", "r1")):
        elsewhere.daemon.exec("/count", topic, request_id=request_id)
    for _ in range(2):
        elsewhere.daemon.exec("/count", "file:a")
    assert elsewhere.lines().count("ended") == 5


@pytest.mark.requirement("requests.concurrent")
def test_the_same_request_sent_at_once_runs_once(elsewhere: Elsewhere) -> None:
    sent = [elsewhere.send("/count 0.3", request_id="r1") for _ in range(5)]
    assert len({told(it.result(10)) for it in sent}) == 1
    assert elsewhere.lines() == ["begun", "ended"]


@pytest.mark.requirement("requests.cancelled")
def test_a_cancelled_request_stays_cancelled(elsewhere: Elsewhere) -> None:
    running = elsewhere.send("/count 30", request_id="r1")
    assert eventually(lambda: elsewhere.lines() == ["begun"])
    elsewhere.daemon.exec("/cancel", "file:a")
    first = told(running.result(5))
    assert first[1] == "CANCELLED"
    assert told(elsewhere.send("/count 30", request_id="r1").result(5)) == first
    assert elsewhere.lines() == ["begun"]


@pytest.mark.requirement("requests.cancelled")
def test_a_request_that_was_cancelled_before_its_turn_may_run(elsewhere: Elsewhere) -> None:
    running = elsewhere.send("/count 30", request_id="r1")
    assert eventually(lambda: elsewhere.lines() == ["begun"])
    waiting = elsewhere.send("/count", request_id="r2")
    headers = {"X-User-Id": "default"}
    cancel = {"topic": "file:a", "request_id": "r2"}
    assert eventually(
        lambda: elsewhere.daemon.request("POST", "/cancel", cancel, headers).json().get("cancelled")
    )
    assert told(waiting.result(5))[1] == "CANCELLED"
    elsewhere.daemon.exec("/cancel", "file:a")
    running.result(5)
    assert told(elsewhere.send("/count", request_id="r2").result(5))[0] is True


@pytest.mark.requirement("requests.unknown")
def test_the_outcome_of_an_interrupted_request_is_unknown(elsewhere: Elsewhere) -> None:
    running = elsewhere.send("/count 30", request_id="r1")
    assert eventually(lambda: elsewhere.lines() == ["begun"])
    elsewhere.release(stored=True)
    assert told(running.result(5))[1] == "OUTCOME_UNKNOWN"
    elsewhere.restore()
    body = {"cmd": "/count 30", "topic": "file:a", "request_id": "r1"}
    for _ in range(2):
        reply = elsewhere.daemon.request("POST", "/exec", body, {"X-User-Id": "default"})
        assert (reply.status, reply.json()["error"]) == (503, "OUTCOME_UNKNOWN")
    assert elsewhere.lines() == ["begun"]
    assert elsewhere.daemon.exec("/count", "file:a", request_id="r2").head["ok"]


@pytest.mark.requirement("requests.abandoned")
def test_a_request_whose_topic_ends_before_it_runs_may_be_sent_again(elsewhere: Elsewhere) -> None:
    elsewhere.daemon.request("POST", "/elsewhere/requests?slow=1")
    sent = elsewhere.send("/count", request_id="r1")
    assert eventually(lambda: "begin r1" in elsewhere()["calls"])
    elsewhere.release(stored=True, seconds=0.1)
    elsewhere.daemon.request("POST", "/elsewhere/requests")
    assert told(sent.result(5)) == 503
    assert elsewhere()["calls"][-1] == "abandon r1"
    elsewhere.restore()
    assert elsewhere.daemon.exec("/count", "file:a", request_id="r1").head["ok"]
    assert elsewhere.lines() == ["begun", "ended"]


@pytest.mark.requirement("requests.unstored")
def test_an_outcome_that_can_not_be_kept_is_no_success(elsewhere: Elsewhere) -> None:
    elsewhere.daemon.request("POST", "/elsewhere/requests?fails=1")
    assert told(elsewhere.daemon.exec("/count", "file:a", request_id="r1"))[1] == "STORAGE_FAILED"
    elsewhere.daemon.request("POST", "/elsewhere/requests")
    assert elsewhere.send("/count", request_id="r1").result(5) == 503
    assert elsewhere.lines() == ["begun", "ended"]
