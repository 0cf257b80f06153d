"""Questions of all nodes are shown and answered at each of them, and an operator counts everywhere."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from stringd_cluster.engine.database_pool import connect
from tests.protocol.waits import eventually
from tests.questions.people import Operator, People


def execute(database: str, statement: str) -> None:
    """Run a statement in the database of the nodes."""

    async def run() -> None:
        connection = await connect(database)
        await connection.execute(statement)
        await connection.close()

    asyncio.run(run())


def at(daemon: DaemonProcess, question: dict[str, Any]) -> dict[str, Any]:
    """Return a question as another node lists it, once it does."""
    found: dict[str, Any] = eventually(
        lambda: next((it for it in People(daemon).listed() if it["id"] == question["id"]), None)
    )
    return found


def test_a_question_is_shown_and_answered_at_another_node(ann: DaemonProcess, bob: DaemonProcess) -> None:
    asked = People(ann).ask(title="Which way?", body="Left or right", trust="anyone")
    shown = at(bob, asked.question)
    assert shown == asked.question
    assert shown["node"] == "ann"
    assert People(bob).answer(shown, "left", through="the other side").status == 200
    assert asked.told() == {"value": "left", "by": "default", "through": "the other side", "comment": None}
    eventually(lambda: People(bob).listed() == [])
    again = eventually(lambda: found if (found := People(bob).answer(shown, "right")).status == 409 else None)
    assert "already answered, by default through the other side" in again.json()["message"]


def test_an_operator_at_another_node_counts(ann: DaemonProcess, bob: DaemonProcess) -> None:
    assert "OPERATOR_REQUIRED" in ann.exec('/ask {"trust": "person", "kind": "approve"}').content
    with Operator(bob) as operator:
        eventually(lambda: ann.request("GET", "/questions").json()["operator"] == "attached")
        asked = People(ann).ask(trust="person", kind="approve", title="Really?", expires=60)
        shown = operator.expect("question", id=asked.id)
        assert shown["expires_at"] is None
        assert operator.show(shown).status == 200
        assert operator.expect("question", id=asked.id, node="ann")
        eventually(lambda: at(bob, shown)["expires_at"])
        assert operator.decide(shown, True, comment="fine").status == 200
        assert asked.told()["comment"] == "fine"
        assert asked.told()["by"] == "operator"
        assert operator.expect("closed", id=asked.id)["by"] == "operator"
    eventually(lambda: ann.request("GET", "/questions").json()["operator"] == "absent")


def test_a_person_is_asked_only_with_the_token_of_an_operator(ann: DaemonProcess, bob: DaemonProcess) -> None:
    with Operator(bob):
        eventually(lambda: ann.request("GET", "/questions").json()["operator"] == "attached")
        asked = People(ann).ask(trust="person", kind="approve", title="Really?")
        refused = People(bob).answer(at(bob, asked.question), True)
        assert (refused.status, refused.json()["error"]) == (403, "OPERATOR_REQUIRED")
        assert not asked.done()


def test_an_unfit_answer_is_refused_and_the_question_stays_open(
    ann: DaemonProcess, bob: DaemonProcess
) -> None:
    asked = People(ann).ask(title="Which?", kind="choice", choices=["one", "two"])
    shown = at(bob, asked.question)
    refused = People(bob).answer(shown, "three")
    assert (refused.status, refused.json()["error"]) == (400, "INVALID_ANSWER")
    assert People(bob).answer(shown, "two").status == 200
    assert asked.told()["value"] == "two"


def test_the_first_of_many_answers_at_both_nodes_wins(ann: DaemonProcess, bob: DaemonProcess) -> None:
    asked = People(ann).ask(title="Who?", kind="text")
    shown = at(bob, asked.question)
    statuses: list[int] = []
    start = threading.Barrier(8)

    def answer(number: int) -> None:
        start.wait(10)
        statuses.append(People((ann, bob)[number % 2]).answer(shown, str(number)).status)

    threads = [threading.Thread(target=answer, args=(it,)) for it in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(statuses) == [200, *[409] * 7]


def test_questions_and_operators_of_a_node_that_is_gone_end_with_its_lease(
    ann: DaemonProcess, bob: DaemonProcess
) -> None:
    asked = People(ann).ask(title="Anyone?", trust="anyone")
    at(bob, asked.question)
    with Operator(bob) as watching, Operator(ann):
        ann.kill()
        closed = watching.expect("closed", id=asked.id)
        assert closed["reason"] == "the node that asked it is gone"
    eventually(lambda: bob.request("GET", "/questions").json()["operator"] == "absent")
    assert People(bob).answer(asked.question, "late").status == 409


def test_questions_of_a_node_that_does_not_answer_can_be_answered_later(
    ann: DaemonProcess, bob: DaemonProcess, start_node: Callable[..., DaemonProcess]
) -> None:
    asked = People(ann).ask(title="Hm?", trust="anyone")
    shown = at(bob, asked.question)
    secret = People(ann).ask(title="Word?", topic="file:two", kind="secret")
    assert People(bob).answer(at(bob, secret.question), "s3cr3t-word").status == 200
    assert secret.told()["value"] == len("s3cr3t-word")
    assert People(start_node("eve")).answer(shown, "yes").status in {200, 404}


def test_an_answer_that_does_not_reach_the_asking_node_may_be_sent_again(
    ann: DaemonProcess, bob: DaemonProcess, database: str
) -> None:
    asked = People(ann).ask(trust="anyone")
    shown = at(bob, asked.question)
    execute(database, "UPDATE stringd.nodes SET address = '1' WHERE name = 'ann'")
    refused = People(bob).answer(shown, "left")
    assert (refused.status, refused.json()["error"]) == (503, "OUTCOME_UNKNOWN")
    execute(database, f"UPDATE stringd.nodes SET address = '{ann.port}' WHERE name = 'ann'")
    assert People(bob).answer(shown, "left").status == 200


@pytest.mark.long
def test_what_a_later_version_has_written_keeps_nobody_from_other_questions(
    ann: DaemonProcess, bob: DaemonProcess, database: str
) -> None:
    node = "(SELECT id FROM stringd.nodes WHERE name = 'ann')"
    execute(database, f"INSERT INTO stringd.questions (id, node, opened) VALUES ('q0', {node}, '{{}}')")
    eventually(lambda: "the sharing of activity failed" in bob.stderr())
    execute(database, "DELETE FROM stringd.questions WHERE id = 'q0'")
    asked = People(ann).ask(trust="anyone")
    assert at(bob, asked.question) == asked.question
