"""Questions to anyone: asked, shown, answered once, by the right user and with the right kind of answer."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.questions.people import People, until


@pytest.mark.requirement("questions.ask", "questions.list")
def test_first_answer_reaches_the_asker_with_its_author(people: People) -> None:
    asked = people.ask(title="Which colour?", body="Of the shed.", details={"wall": "north"})
    assert {
        name: asked.question[name] for name in ("kind", "title", "body", "details", "trust", "topic")
    } == {
        "kind": "text",
        "title": "Which colour?",
        "body": "Of the shed.",
        "details": {"wall": "north"},
        "trust": "anyone",
        "topic": "file:main",
    }
    reply = people.answer(asked.question, "green", through="a test")
    assert (reply.status, reply.json()) == (200, {"id": asked.id, "answered": True})
    assert asked.told() == {"value": "green", "by": "default", "through": "a test", "comment": None}
    assert people.listed() == []


@pytest.mark.requirement("questions.first_wins")
def test_first_of_two_concurrent_answers_wins_and_the_other_learns_whose(people: People) -> None:
    asked = people.ask()
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda it: people.answer(asked.question, f"{it}", through=f"{it}"), range(8)))
    won = [number for number, it in enumerate(replies) if it.status == 200]
    assert len(won) == 1
    assert asked.told()["value"] == f"{won[0]}"
    for late in (it for it in replies if it.status != 200):
        assert (late.status, late.headers["X-Error-Code"]) == (409, "QUESTION_CLOSED")
        assert late.json() == {
            "error": "QUESTION_CLOSED",
            "message": f"The question was already answered, by default through {won[0]}.",
        }


@pytest.mark.requirement("questions.kinds")
@pytest.mark.parametrize(
    ("fields", "wrong", "message", "right"),
    [
        ({"kind": "approve"}, ["yes", 1, None, {}], "must be yes or no", True),
        ({"kind": "text"}, [True, 5, None, ["a"]], "text", "a\nb"),
        ({"kind": "choice", "choices": ["a", "b"]}, ["c", 1, None, True], "one of the 2 choices", "b"),
        ({"kind": "secret"}, [7, None, "", "two\nlines", "\x03"], "must be", "x" * 4000),
        ({"kind": "text"}, ["x" * 65537], "more than 65536 characters", "x" * 65536),
        ({"kind": "secret"}, ["x" * 4001], "more than 4000", "x"),
    ],
)
def test_answer_of_the_wrong_kind_is_refused_and_the_question_stays_open(
    people: People, fields: dict[str, Any], wrong: list[Any], message: str, right: Any
) -> None:
    people.daemon.exec('/set {_limit} = "100000"')
    asked = people.ask(**fields)
    for value in wrong:
        reply = people.answer(asked.question, value)
        assert (reply.status, reply.json()["error"]) == (400, "INVALID_ANSWER")
        assert message in reply.json()["message"]
    assert people.answer(asked.question, right).status == 200
    assert asked.told()["value"] == (len(right) if fields["kind"] == "secret" else right)


@pytest.mark.requirement("questions.check")
def test_asker_may_reject_an_answer(people: People) -> None:
    asked = people.ask()
    reply = people.answer(asked.question, "wrong")
    assert (reply.status, reply.json()["message"]) == (400, "That is wrong.")
    assert people.answer(asked.question, "right").status == 200
    assert asked.told()["value"] == "right"


@pytest.mark.requirement("questions.comment", "questions.extras")
def test_comment_and_allowed_extras_reach_the_asker(people: People) -> None:
    asked = people.ask(kind="approve", extras=["grant"])
    assert asked.question["extras"] == ["grant"]
    reply = people.answer(asked.question, False, comment="no", other=1)
    assert (reply.status, reply.json()["message"]) == (400, "The question does not accept the field 'other'")
    assert people.answer(asked.question, False, comment="x" * 4097).status == 400
    assert people.answer(asked.question, False, comment="not today", grant={"times": 3}).status == 200
    told = asked.told()
    assert (told["value"], told["comment"], told["extras"]) == (False, "not today", {"grant": {"times": 3}})


@pytest.mark.requirement("questions.errors")
@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"answer"', {"answer": "a", "comment": 5}])
def test_body_without_an_answer_is_invalid(people: People, body: Any) -> None:
    asked = people.ask()
    reply = people.daemon.request("POST", f"/questions/{asked.id}", body, {"X-User-Id": "default"})
    assert (reply.status, reply.headers["X-Error-Code"]) == (400, "INVALID_BODY")
    assert people.listed()


@pytest.mark.requirement("questions.errors")
def test_unknown_questions_and_users_are_named(people: People) -> None:
    unknown = people.answer({"id": "q00000000"}, "a")
    assert (unknown.status, unknown.json()["error"]) == (404, "QUESTION_NOT_FOUND")
    asked = people.ask()
    assert people.answer(asked.question, "a", user=None).headers["X-Error-Code"] == "USER_REQUIRED"
    assert people.answer(asked.question, "a", user="nobody").headers["X-Error-Code"] == "UNKNOWN_USER"
    assert people.daemon.request("GET", f"/questions/{asked.id}").status == 405
    assert people.listed()


@pytest.mark.requirement("questions.of_user")
def test_question_does_not_exist_for_another_user(people: People) -> None:
    people.daemon.register("other")
    asked = people.ask()
    assert people.listed(user_id="other") == []
    assert people.listed(user_id="default") == [asked.question]
    reply = people.answer(asked.question, "a", user="other")
    assert (reply.status, reply.json()["error"]) == (404, "QUESTION_NOT_FOUND")
    answered = people.daemon.exec(f"/answer {asked.id} a", "file:main", "other")
    assert answered.head["code"] == "QUESTION_NOT_FOUND"
    assert people.daemon.exec("/answer", "file:x", "other").content == "re: /answer\nQuestions\n---\n(none)"
    assert people.answer(asked.question, "a").status == 200


@pytest.mark.requirement("answer.command", "answer.masked", "answer.urgent")
def test_agent_answers_from_any_topic_even_the_waiting_one(people: People) -> None:
    asked = people.ask()
    reply = people.daemon.exec(f"/answer {asked.id} from the agent", "file:main")
    assert reply.content == f"re: /answer {asked.id} ********\nAnswered: What?"
    assert reply.head["cmd"] == f"/answer {asked.id} ********"
    told = asked.told()
    assert (told["value"], told["through"]) == ("from the agent", "/answer in file:main")
    other = people.ask()
    reply = people.daemon.exec("//answer of two\nlines", "bash:elsewhere")
    assert reply.content == "re: //answer ********\nAnswered: What?"
    assert other.told()["value"] == "of two\nlines"


@pytest.mark.requirement("answer.command")
def test_typed_answers_are_words_and_numbers(people: People) -> None:
    approval = people.ask(kind="approve")
    refused = people.daemon.exec("/answer perhaps", "file:b")
    assert refused.head["code"] == "INVALID_ANSWER"
    assert people.daemon.exec("/answer YES", "file:b").head["ok"]
    assert approval.told()["value"] is True
    choice = people.ask(kind="choice", choices=["red", "2", "blue"])
    assert people.daemon.exec("/answer 3", "file:b").head["ok"]
    assert choice.told()["value"] == "blue"
    ambiguous = people.ask(kind="choice", choices=["red", "1"])
    assert people.daemon.exec("/answer 1", "file:b").head["ok"]
    assert ambiguous.told()["value"] == "1"


@pytest.mark.requirement("answer.list")
def test_questions_are_listed_and_must_be_named_if_several_are_open(people: People) -> None:
    assert people.daemon.exec("/answer text", "file:b").content == (
        "re: /answer ********\nERROR(QUESTION_NOT_FOUND): No question is open."
    )
    first = people.ask(topic="file:one", title="First?", body="about \x1b[1mthis")
    second = people.ask(topic="file:two", title="Second?", kind="choice", choices=["x", "y"])
    several = people.daemon.exec("/answer x", "file:b")
    assert several.content.split("\n")[1:] == [
        "ERROR(INVALID_PARAMS): Several questions are open: name one of them.",
        f"{first.id}: First?",
        f"{second.id}: Second?",
    ]
    assert people.daemon.exec("/answer", "file:b").content.split("\n")[3:] == [
        f"{first.id}: First?",
        "(text, to be answered by anyone)",
        r"about \x1b[1mthis",
        "",
        f"{second.id}: Second?",
        "(choice, to be answered by anyone)",
        "1. x",
        "2. y",
    ]


@pytest.mark.requirement("questions.bounds")
def test_a_thousand_questions_are_open_at_once_and_no_more(asking: DaemonProcess) -> None:
    people = People(asking)
    for number in range(5):
        asking.register(f"u{number}")
        assert asking.exec('/detach {"count": 200}', user=f"u{number}").head["ok"]
    until(lambda: len(people.listed()) == 1000)
    full = asking.exec("/ask", "file:full")
    assert full.content == (
        "re: /ask\nERROR(TOO_MANY_QUESTIONS): The question can't be asked: 1000 questions are open already."
    )
    assert asking.request("DELETE", "/users/u4").json()["deleted"]
    until(lambda: len(people.listed()) == 800)
    last = people.listed()[-1]
    assert people.answer(last, "a", user="u3").status == 200
    of_user = asking.exec('/detach {"count": 2}', user="u3")
    assert of_user.head["ok"]
    home = asking.data_dir.parent / "home-u3"
    until(lambda: "TOO_MANY_QUESTIONS" in (home / "alone.txt").read_text())
    assert "200 questions of u3 are open already" in (home / "alone.txt").read_text()
    assert len(people.listed(user_id="u3")) == 200
    for number in range(4):
        asking.request("DELETE", f"/users/u{number}")
    assert people.listed() == []


@pytest.mark.requirement("questions.bounds")
@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""},
        {"title": "two\nlines"},
        {"title": "x" * 257},
        {"body": "x" * 1_048_577},
        {"details": {str(it): "" for it in range(65)}},
        {"details": {"": "nameless"}},
        {"kind": "choice"},
        {"kind": "choice", "choices": ["a", "a"]},
        {"kind": "choice", "choices": [f"{it}" for it in range(101)]},
        {"kind": "text", "choices": ["a"]},
        {"expires": 0},
        {"expires": -1},
    ],
)
def test_question_that_exceeds_a_limit_is_not_asked(asking: DaemonProcess, fields: dict[str, Any]) -> None:
    assert asking.exec(f"/ask {json.dumps(fields)}").head["code"] == "INTERNAL_ERROR"
    assert "ValueError" in asking.stderr()
    assert People(asking).listed() == []
