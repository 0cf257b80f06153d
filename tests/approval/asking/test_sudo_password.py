"""The question for the password that sudo wants: where it may be answered, and what it says."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from stringd.api.questions import Answer, Question
from stringd.errors import ErrorCode, Refusal, Unanswered
from stringd_approval.asking.sudo_password import SudoPassword
from stringd_approval.exec_request import ExecRequest
from stringd_approval.exec_result import ExecFailed

PASSWORD = "tulip-98127"


@dataclass
class Person:
    """Answers as the question's check allows."""

    through: str = "stringd approve"
    asked: list[Question] = field(default_factory=list)

    async def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        answer = Answer(value=PASSWORD, by="operator", through=self.through)
        assert question.check
        try:
            question.check(answer)
        except Refusal as refusal:
            raise Unanswered(ErrorCode.QUESTION_EXPIRED, refusal.message) from None
        return answer


def typed_by(person: Person, *words: str) -> str:
    request = ExecRequest(id="1", pipeline=(words,))
    ask = SudoPassword(questions=cast("Any", person)).of(request)
    password: str = asyncio.run(cast("Any", ask("[sudo] password for ada:")))
    return password


@pytest.mark.requirement("approval.execution.sudo.password")
def test_password_is_only_taken_from_a_terminal() -> None:
    assert typed_by(Person(), "id") == PASSWORD
    for through in ("HTTP", "console", "stringd approve --json"):
        with pytest.raises(ExecFailed, match="a password is only accepted from `stringd approve`") as failed:
            typed_by(Person(through=through), "id")
        assert PASSWORD not in str(failed.value)


@pytest.mark.requirement("approval.execution.sudo.password")
@pytest.mark.parametrize("word", ["short", "x" * 900_000])
def test_question_says_for_which_command_the_password_is(word: str) -> None:
    person = Person()
    assert typed_by(person, "echo", word) == PASSWORD
    (question,) = person.asked
    assert question.body == "[sudo] password for ada:"
    assert question.details["command"].startswith(f"echo {word[:100]}")
    assert "a command that it runs as root" in question.details["asked by"]
