"""Questions are asked at one node and answered at another, by programs, HTTP and the console."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

import pytest

from stringd.config import LOOPBACK
from tests.cluster.cuts import Cut
from tests.cluster.together.trio import Trio
from tests.console.following import following
from tests.console.signing_in import signed_in
from tests.protocol.waits import eventually
from tests.questions.people import Operator

pytestmark = pytest.mark.long


def asked(trio: Trio, title: str, at: str) -> dict[str, Any]:
    """Return a question with this title as a node lists it, once it does."""
    node = trio.nodes[at]
    found: dict[str, Any] = eventually(
        lambda: next((it for it in trio.open_questions(node) if it["title"] == title), None)
    )
    return found


def await_operator(trio: Trio, at: str) -> None:
    """Wait until a node knows of an operator, wherever that is: a person is asked only then."""
    with trio.client(trio.nodes[at]) as client:
        eventually(lambda: client.questions(everyone=True)["operator"] == "attached")


def ask(**fields: Any) -> str:
    return f"/ask {json.dumps(fields)}"


@pytest.mark.requirement("cluster.questions.everywhere")
def test_question_is_answered_by_its_user_at_another_node(lasting: Trio) -> None:
    answer = lasting.begin("ann", ask(title="Which way?"), lasting.nodes["two"])
    question = asked(lasting, "Which way?", at="three")
    assert (question["node"], question["user_id"]) == ("one", "ann")
    with lasting.client(lasting.nodes["three"], "ann") as client:
        client.answer_question(question["id"], "left")
    assert json.loads(answer.result(10).content)["value"] == "left"
    eventually(lambda: not lasting.open_questions(lasting.nodes["two"]))


@pytest.mark.requirement("cluster.questions.everywhere", "cluster.questions.operator")
def test_operator_of_one_node_answers_for_another(lasting: Trio) -> None:
    with lasting.client(lasting.nodes["one"]) as client:
        assert client.questions(everyone=True)["operator"] == "absent"
    shown = lasting.start_stringd(lasting.nodes["three"].port, "approve", "--json", "--once")
    try:
        assert shown.stdin
        assert shown.stdout
        assert json.loads(shown.stdout.readline()) == {"event": "ready", "operator": True}
        await_operator(lasting, at="one")
        answer = lasting.begin("ann", ask(title="May I?", kind="approve", trust="person"))
        assert json.loads(shown.stdout.readline())["title"] == "May I?"
        shown.stdin.write('{"answer": true, "comment": "go on"}\n')
        shown.stdin.flush()
        told = json.loads(answer.result(10).content)
        assert (told["value"], told["by"], told["comment"]) == (True, "operator", "go on")
        assert shown.wait(10) == 0
    finally:
        shown.kill()
        shown.communicate()
    with lasting.client(lasting.nodes["one"]) as client:
        eventually(lambda: client.questions(everyone=True)["operator"] == "absent")


@pytest.mark.requirement("cluster.questions.everywhere")
def test_console_of_another_node_shows_and_answers_a_question(lasting: Trio) -> None:
    browser = signed_in(lasting.nodes["two"])
    with following(browser, "questions") as page:
        await_operator(lasting, at="three")
        answer = lasting.begin("cy", ask(title="Red or blue?", trust="person"))
        page.wait(lambda it: "Red or blue?" in str(it.regions))
        question = asked(lasting, "Red or blue?", at="two")
        given = browser.act("questions/answer", id=question["id"], answer="red")
        assert given.status == HTTPStatus.OK, given.text
        assert json.loads(answer.result(10).content)["through"] == "console"
        page.wait(lambda it: "Red or blue?" not in str(it.regions.get("waiting")))


@pytest.mark.requirement("cluster.questions.operator")
def test_operator_goes_on_at_another_node(trio: Trio, balancer: Cut) -> None:
    balancer.lead_to((LOOPBACK, trio.nodes["two"].port))
    shown = trio.start_stringd(balancer.port, "approve", "--json", "--once")
    try:
        assert shown.stdin
        assert shown.stdout
        assert json.loads(shown.stdout.readline())["event"] == "ready"
        balancer.lead_to((LOOPBACK, trio.nodes["three"].port))
        trio.nodes["two"].kill()
        assert json.loads(shown.stdout.readline())["event"] == "ready"
        await_operator(trio, at="one")
        answer = trio.begin("ann", ask(title="May I?", kind="approve", trust="person"), trio.nodes["one"])
        asked(trio, "May I?", at="three")
        while json.loads(shown.stdout.readline()).get("title") != "May I?":
            pass
        shown.stdin.write('{"answer": true}\n')
        shown.stdin.flush()
        assert json.loads(answer.result(20).content)["by"] == "operator"
        assert shown.wait(10) == 0
    finally:
        shown.kill()
        shown.communicate()


@pytest.mark.requirement("cluster.questions.gone")
def test_question_of_a_node_that_ends_is_withdrawn_at_the_others(trio: Trio) -> None:
    two, three = trio.nodes["two"], trio.nodes["three"]
    with Operator(two) as operator:
        await_operator(trio, at="three")
        trio.begin("cy", ask(title="Still there?", kind="approve", trust="person"), three)
        question = asked(trio, "Still there?", at="two")
        operator.expect("question", id=question["id"])
        three.kill()
        assert "gone" in operator.expect("closed", id=question["id"])["reason"]
    assert not trio.open_questions(two)
