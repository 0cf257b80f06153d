"""All topics of a user are released and restored, with and without what they would still store."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.events.watching import watching
from tests.protocol.waits import eventually
from tests.stores.conftest import Elsewhere


def code_of(answer: Any) -> Any:
    return answer if isinstance(answer, int) else answer.head["code"]


@pytest.mark.requirement("stores.release")
def test_topics_go_on_where_they_were_after_a_move(elsewhere: Elsewhere) -> None:
    daemon = elsewhere.daemon
    daemon.exec("/write a.md\n# A\n\nold", "file:a")
    daemon.exec("/open a.md", "file:a")
    daemon.exec("/set x = 1", "file:a")
    daemon.exec("/put word", "file:a")
    before = elsewhere()
    released = elsewhere.release(stored=True)
    assert {it: released[it] for it in ("topics", "data", "undo")} == {
        it: before[it] for it in ("topics", "data", "undo")
    }
    assert daemon.request("GET", "/sessions").json()["sessions"] == []
    elsewhere.restore()
    assert [it["topic"] for it in daemon.request("GET", "/sessions").json()["sessions"]] == ["file:a"]
    assert "a.md" in daemon.exec("/info", "file:a").content
    assert daemon.exec("/undo", "file:a").head["ok"]
    assert not (daemon.home / "a.md").exists()


@pytest.mark.requirement("stores.release")
@pytest.mark.parametrize("stored", [True, False])
def test_a_release_answers_what_runs_and_what_waits(elsewhere: Elsewhere, stored: bool) -> None:
    running = elsewhere.send("/count 30")
    assert eventually(lambda: elsewhere.lines() == ["begun"])
    waiting = elsewhere.send("/count")
    assert eventually(lambda: _queued(elsewhere) == 1)
    started = time.monotonic()
    elsewhere.release(stored=stored)
    assert time.monotonic() - started < 3
    interrupted = running.result(5)
    assert not isinstance(interrupted, int)
    assert interrupted.head["code"] == "OUTCOME_UNKNOWN"
    assert "may have run in part" in interrupted.content
    assert code_of(waiting.result(5)) == 503
    assert elsewhere.lines() == ["begun"]


@pytest.mark.requirement("stores.released")
def test_a_released_home_gets_no_new_topics(elsewhere: Elsewhere) -> None:
    daemon = elsewhere.daemon
    daemon.exec("/write a.md\n# A", "file:a")
    before = elsewhere.release(stored=True)["topics"]
    refused = daemon.request("POST", "/exec", {"cmd": "/info", "topic": "file:a"}, {"X-User-Id": "default"})
    assert (refused.status, refused.headers["X-Error-Code"]) == (503, "HOME_UNAVAILABLE")
    assert elsewhere.send("/info", "file:b").result(5) == 503
    created = daemon.request("POST", "/sessions", {"user_id": "default", "topic": "file:c"})
    assert created.status == 503
    assert daemon.request("GET", "/sessions").json()["sessions"] == []
    assert elsewhere()["topics"] == before
    elsewhere.restore()
    assert daemon.exec("/info", "file:b").head["ok"]


@pytest.mark.requirement("stores.released")
def test_commands_that_arrive_during_a_release_run_whole_or_not_at_all(elsewhere: Elsewhere) -> None:
    sent = [elsewhere.send("/count", f"file:t{number % 5}") for number in range(40)]
    elsewhere.release(stored=True)
    lines = elsewhere.lines()
    answers = [code_of(it.result(10)) for it in sent]
    assert set(answers) <= {None, 503, "OUTCOME_UNKNOWN"}
    assert elsewhere.lines() == lines
    assert elsewhere.daemon.request("GET", "/sessions").json()["sessions"] == []
    assert lines.count("ended") >= answers.count(None)


@pytest.mark.requirement("stores.abandoned")
def test_what_ends_late_stores_nothing_any_more(elsewhere: Elsewhere) -> None:
    daemon, home = elsewhere.daemon, elsewhere.home
    daemon.exec("/write a.md\n# A", "file:a")
    daemon.exec("/put word", "file:a")
    late = elsewhere.send("/late")
    assert eventually((home / "waiting").exists)
    before = elsewhere()
    elsewhere.release(stored=False, seconds=0.5)
    assert code_of(late.result(5)) == "OUTCOME_UNKNOWN"
    elsewhere.restore()
    (home / "go").touch()
    assert eventually((home / "over").exists)
    after = elsewhere()
    changes = ("undo", "outputs", "secrets", "storage", "transaction")
    assert after["late"] == [f"{it} FENCED" for it in changes]
    kept = ("topics", "data", "undo", "outputs", "secrets", "storage")
    assert {it: after[it] for it in kept} == {it: before[it] for it in kept}
    assert daemon.exec("/put other", "file:a").head["ok"]
    assert elsewhere()["storage"]["elsewhere"] == {"put": "other"}


@pytest.mark.requirement("stores.moved")
@pytest.mark.parametrize("stored", [True, False])
def test_the_end_of_a_topic_that_moves_is_an_event(elsewhere: Elsewhere, stored: bool) -> None:
    with watching(elsewhere.daemon) as stream:
        elsewhere.daemon.exec("/write a.md\n# A", "file:a")
        elsewhere.release(stored=stored)
        assert stream.wait_for("session-ended")["reason"] == "moved"


def _queued(elsewhere: Elsewhere) -> int:
    sessions = elsewhere.daemon.request("GET", "/sessions").json()["sessions"]
    return sum(it["queue_length"] for it in sessions)
