"""Questions through the Python client, blocking and asynchronous."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from stringd.client import AsyncClient, Client
from stringd.errors import AnswerInvalid, OperatorRequired, QuestionClosed, QuestionNotFound
from tests.questions.people import Operator, People


@pytest.mark.requirement("questions.client")
def test_blocking_client_lists_and_answers(operator: Operator) -> None:
    port, token = operator.daemon.port, operator.token
    with Client(port=port, start=False) as client:
        asked = operator.ask(trust="person", kind="approve", expires=60)
        assert [it["id"] for it in client.questions()["questions"]] == [asked.id]
        assert client.questions()["operator"] == "attached"
        with pytest.raises(OperatorRequired):
            client.answer_question(asked.id, True)
        with pytest.raises(AnswerInvalid, match="yes or no"):
            client.answer_question(asked.id, "yes", token=token)
        assert client.mark_question_shown(asked.id, token or "")
        client.answer_question(asked.id, False, token=token, comment="no", through="a test")
        assert asked.told() == {"value": False, "by": "operator", "through": "a test", "comment": "no"}
        with pytest.raises(QuestionClosed, match="by operator through a test"):
            client.answer_question(asked.id, True, token=token)
        assert not client.mark_question_shown(asked.id, token or "")


@pytest.mark.requirement("questions.client")
def test_asynchronous_client_lists_and_answers(people: People, tmp_path: Path) -> None:
    people.daemon.register("other", tmp_path)
    asked = people.ask(extras=["why"])

    async def answer() -> None:
        async with AsyncClient("other", port=people.daemon.port, start=False) as other:
            assert (await other.questions())["questions"] == []
            assert len((await other.questions(everyone=True))["questions"]) == 1
            with pytest.raises(QuestionNotFound):
                await other.answer_question(asked.id, "x")
        async with AsyncClient(port=people.daemon.port, start=False) as client:
            assert (await client.questions())["operator"] == "none"
            await client.answer_question(asked.id, "x", extras={"why": "because"})
            with pytest.raises(OperatorRequired):
                await client.mark_question_shown(asked.id, "no token")

    asyncio.run(answer())
    told = asked.told()
    assert (told["value"], told["through"], told["extras"]) == ("x", "Python", {"why": "because"})
