"""Answers that pages send, and what becomes of a question on all pages."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.console.live_stream import LiveStream
from tests.console.signing_in import SignedIn, signed_in
from tests.questions.people import Operator, People, until

PERSON: dict[str, Any] = {"trust": "person", "waits_for_operator": True}


@pytest.mark.requirement("console.questions.answers")
@pytest.mark.parametrize(
    ("fields", "sent", "told"),
    [
        ({"kind": "approve"}, {"answer": "yes"}, {"value": True, "comment": None}),
        (
            {"kind": "approve"},
            {"answer": "no", "comment": "too bold"},
            {"value": False, "comment": "too bold"},
        ),
        ({"kind": "text"}, {"answer": " one\ntwo "}, {"value": " one\ntwo "}),
        ({"kind": "secret"}, {"answer": "s3cret"}, {"value": 6}),
        ({"kind": "choice", "choices": ["a", "b\u202e"]}, {"answer": "2"}, {"value": "b\u202e"}),
        (
            {"kind": "approve", "extras": ["edit"]},
            {"answer": "yes", "extra-edit": "ls -l"},
            {"value": True, "extras": {"edit": "ls -l"}},
        ),
        (
            {"kind": "text", "extras": ["speed", "depth"]},
            {"answer": "go", "extra-speed": "fast", "extra-depth": ""},
            {"value": "go", "extras": {"speed": "fast"}},
        ),
    ],
)
def test_each_kind_is_answered(
    people: People, page: LiveStream, fields: dict[str, Any], sent: dict[str, str], told: dict[str, Any]
) -> None:
    asked = people.ask("file:kinds", **PERSON, **fields)
    page.wait(asked.id)
    reply = page.browser.act("questions/answer", id=asked.id, **sent)
    assert reply.status == 200, reply.text
    assert {**told, "by": "operator", "through": "console"}.items() <= asked.told().items()
    assert "s3cret" not in reply.text + page.html("questions")


@pytest.mark.requirement("console.questions.answers")
@pytest.mark.parametrize(
    ("fields", "sent", "complaint"),
    [
        ({"kind": "approve"}, {"answer": "maybe"}, "must be yes or no"),
        ({"kind": "approve"}, {}, "must be yes or no"),
        ({"kind": "choice", "choices": ["a"]}, {"answer": "2"}, "number of a choice"),
        ({"kind": "choice", "choices": ["a"]}, {"answer": "²"}, "number of a choice"),
        ({"kind": "choice", "choices": ["a"]}, {"answer": "9" * 5000}, "number of a choice"),
        ({"kind": "approve"}, {"answer": "yes", "comment": "x" * 5000}, "comment"),
        ({"kind": "approve"}, {"answer": "yes", "extra-nothing": "x"}, "nothing"),
        (
            {"kind": "approve", "extras": ["edit"]},
            {"answer": "yes", "extra-edit": "refused"},
            "Not this text",
        ),
        ({"kind": "secret"}, {"answer": "a\x1bsecret"}, "control characters"),
        ({"kind": "text"}, {"answer": "x" * 70_000}, "characters"),
        ({"kind": "text"}, {"answer": "wrong"}, "That is wrong"),
    ],
)
def test_a_wrong_answer_leaves_the_question_open(
    people: People, page: LiveStream, fields: dict[str, Any], sent: dict[str, str], complaint: str
) -> None:
    asked = people.ask("file:wrong", **PERSON, **fields)
    reply = page.browser.act("questions/answer", id=asked.id, **sent)
    assert reply.status in {400, 422}, reply.text
    assert complaint in reply.json().get("message", reply.json()["error"])
    assert "secret" not in reply.text
    assert not asked.done()


@pytest.mark.requirement("console.questions.told")
def test_whoever_comes_later_is_told_who_answered(people: People, page: LiveStream) -> None:
    with LiveStream(signed_in(people.daemon), "questions") as other:
        asked = people.ask("file:first", kind="approve", **PERSON)
        other.wait(asked.id)
        assert page.browser.act("questions/answer", id=asked.id, answer="yes").status == 200
        late = other.browser.act("questions/answer", id=asked.id, answer="no")
        assert late.json()["code"] == "QUESTION_CLOSED"
        assert "already answered, by operator through console" in late.text
        other.wait("Answered by operator through console.")
        assert 'class="actions"' not in other.regions["questions"][asked.id]
    assert asked.told()["value"] is True
    assert page.browser.act("questions/answer", id="q00000000", answer="no").status in {404, 422}


@pytest.mark.requirement("console.questions.told")
def test_answers_from_elsewhere_are_told(people: People, page: LiveStream) -> None:
    with Operator(people.daemon) as operator:
        asked = operator.ask("file:elsewhere", kind="approve", **PERSON)
        page.wait(asked.id)
        operator.decide(asked.question, answer=False, through="stringd approve")
    page.wait("Answered by operator through stringd approve.")


@pytest.mark.requirement("console.questions.gone")
def test_withdrawn_and_expired_questions_say_so(people: People, page: LiveStream) -> None:
    expiring = people.ask("file:expiring", kind="approve", expires=0.3, **PERSON)
    ending = people.ask("file:ending", kind="approve", **PERSON)
    page.wait(ending.id)
    page.browser.act("questions/shown", ids=expiring.id)
    page.wait("Closed without an answer: it has expired.")
    people.daemon.request("DELETE", "/sessions/default/file:ending")
    until(lambda: page.html("questions").count("Closed without an answer: its ") == 1, "it stays open")


@pytest.mark.long
@pytest.mark.requirement("console.questions.gone")
def test_closed_questions_vanish(people: People, page: LiveStream) -> None:
    asked = people.ask("file:vanishing", kind="approve", **PERSON)
    page.wait(asked.id)
    page.browser.act("questions/answer", id=asked.id, answer="yes")
    page.wait("Answered by")
    until(lambda: asked.id not in page.html("questions"), "it stays for ever")


@pytest.mark.requirement("console.questions.shown")
def test_time_starts_when_a_question_is_shown(people: People, page: LiveStream) -> None:
    asked = people.ask("file:unseen", kind="approve", expires=60, **PERSON)
    page.wait(asked.id)
    assert people.listed()[0]["expires_at"] is None
    left = page.browser.act("questions/shown", ids=f"{asked.id} q00000000").json()["data"]
    assert list(left) == [asked.id]
    assert 50 < left[asked.id] <= 60
    assert people.listed()[0]["expires_at"] - time.time() <= 60
    assert page.browser.act("questions/shown", ids=asked.id).json()["data"][asked.id] <= left[asked.id]


@pytest.mark.requirement("console.questions.access")
def test_only_a_page_of_the_console_answers(people: People, page: LiveStream, browser: SignedIn) -> None:
    asked = people.ask("file:access", kind="approve", **PERSON)
    body = {"id": asked.id, "answer": "yes"}
    path = "/console/act/questions/answer"
    for missing in ("Cookie", "Origin", "X-Console-Key"):
        headers = {name: it for name, it in browser.headers.items() if name != missing}
        assert people.daemon.request("POST", path, body, headers).status in {401, 403}
    assert (
        people.daemon.request("GET", f"{path}?id={asked.id}&answer=yes", headers=browser.headers).status
        >= 400
    )
    assert not asked.done()


@pytest.mark.requirement("console.questions.attached")
def test_a_page_that_closes_leaves_its_question_open(people: People, browser: SignedIn) -> None:
    with Operator(people.daemon), LiveStream(browser, "questions") as page:
        asked = people.ask("file:left", kind="approve", trust="person")
        page.wait(asked.id)
        page.__exit__()
        assert not asked.done()
        assert asked.id in json.dumps(people.listed())


@pytest.mark.requirement("console.questions.attached")
def test_a_page_attaches_the_operator_also_while_another_one_loads(people: People, browser: SignedIn) -> None:
    with LiveStream(browser, "questions"):
        pass
    asked = people.ask("file:between", kind="approve", trust="person")
    with LiveStream(browser, "topics"):
        assert browser.act("questions/answer", id=asked.id, answer="no").status == 200
    assert asked.told()["value"] is False
    until(
        lambda: people.daemon.request("GET", "/questions").json()["operator"] == "absent",
        "the operator stays attached",
    )


@pytest.mark.requirement("console.questions.many")
def test_fifty_questions_at_once(people: People, page: LiveStream) -> None:
    detached = {"count": 50, "kind": "approve", "title": "One of many", "body": "x" * 3000, "trust": "person"}
    people.daemon.exec(f"/detach {json.dumps(detached)}", "file:many")
    until(lambda: len(page.regions["questions"]) == 50, "not all came")
    assert len(page.html("questions")) < 50 * 6000
    ids = list(page.regions["questions"])
    for number in ids[:49]:
        assert page.browser.act("questions/answer", id=number, answer="no").status == 200
    page.wait("1 question", "summary")
