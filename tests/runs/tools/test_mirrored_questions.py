"""Questions that are gone when they are to be shown: the ones after them are shown all the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from stringd.plugin import (
    AnswerInvalid,
    EventFilter,
    Published,
    Question,
    QuestionAsked,
    QuestionClosed,
    QuestionKind,
    QuestionNotFound,
    Trust,
)
from stringd_runs.agent import ToolUse
from stringd_runs.messages.client_messages import Decision
from stringd_runs.messages.run_events import RequestPermission
from stringd_runs.running.permissions import Permissions

PATIENCE = 10.0
QUESTION = Question(kind=QuestionKind.APPROVE, title="Remove it?", trust=Trust.ANYONE, asked_by="t")
USE = ToolUse(agent="a", tool="file", word="/rm", topic="file:x", request_id="r")


class Desk:
    """The questions and events of a daemon, where whatever is done to some questions fails."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[str] = asyncio.Queue()
        self.unknown: dict[str, Exception] = {}
        self.unanswerable: dict[str, Exception] = {}
        self.unshowable: dict[str, Exception] = {}

    def get(self, question_id: str) -> Any:
        _fail(self.unknown, question_id)
        return SimpleNamespace(question=QUESTION)

    def answer(self, question_id: str, value: object, **_: object) -> None:
        _fail(self.unanswerable, question_id)

    def mark_shown(self, question_id: str) -> None:
        _fail(self.unshowable, question_id)

    @contextmanager
    def attach_operator(self) -> Iterator[None]:
        yield

    @contextmanager
    def watch(self, _: EventFilter) -> Iterator[AsyncIterator[Published]]:
        yield self._published()

    async def _published(self) -> AsyncIterator[Published]:
        while True:
            asked = QuestionAsked(question_id=await self.asked.get(), question={"body": "", "details": {}})
            yield Published(None, asked)


def _fail(failures: dict[str, Exception], question_id: str) -> None:
    if question_id in failures:
        raise failures[question_id]


async def shown(desk: Desk, *question_ids: str, decided: bool = False) -> list[str]:
    """Return which questions clients see, of those that are asked before the question `last`."""
    seen: asyncio.Queue[str] = asyncio.Queue()

    def publish(event: RequestPermission) -> None:
        seen.put_nowait(event.request_id)

    runtime: Any = SimpleNamespace(questions=desk, events=desk)
    permissions = Permissions("r", "ann", runtime, publish, lambda: True)
    found = []
    with permissions.using(USE):
        if decided:
            desk.asked.put_nowait("first")
            await asyncio.wait_for(seen.get(), PATIENCE)
            permissions.decide("first", Decision.ALLOW_SESSION, is_operator=True)
        desk.unanswerable.setdefault("last", AnswerInvalid("so that it is shown"))
        for it in (*question_ids, "last"):
            desk.asked.put_nowait(it)
        while (name := await asyncio.wait_for(seen.get(), PATIENCE)) != "last":
            found.append(name)
    return found


GONE = (QuestionNotFound("gone"), QuestionClosed("gone"))


@pytest.mark.requirement("runs.agents.permissions.closed")
@pytest.mark.parametrize("error", GONE, ids=repr)
def test_a_question_that_is_gone_is_not_shown(error: Exception) -> None:
    desk = Desk()
    desk.unknown["one"] = error
    assert asyncio.run(shown(desk, "one", "two")) == ["two"]


@pytest.mark.requirement("runs.agents.permissions.closed")
@pytest.mark.parametrize("error", GONE, ids=repr)
def test_a_question_may_go_while_it_is_shown(error: Exception) -> None:
    desk = Desk()
    desk.unshowable["one"] = error
    assert asyncio.run(shown(desk, "one", "two")) == ["one", "two"]


@pytest.mark.requirement("runs.agents.permissions.lasting")
@pytest.mark.parametrize("error", GONE, ids=repr)
def test_a_lasting_decision_may_come_too_late(error: Exception) -> None:
    desk = Desk()
    desk.unanswerable["one"] = error
    assert asyncio.run(shown(desk, "one", "two", decided=True)) == []


@pytest.mark.requirement("runs.agents.permissions.lasting")
def test_a_question_that_refuses_a_lasting_decision_is_shown() -> None:
    desk = Desk()
    desk.unanswerable["one"] = AnswerInvalid("not like this")
    assert asyncio.run(shown(desk, "one", decided=True)) == ["one"]
