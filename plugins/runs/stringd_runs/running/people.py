"""The people whom a run asks; each question is also in the daemon's list of questions."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable

from msgspec import Struct

from stringd.plugin import (
    AnswerInvalid,
    ErrorCode,
    OpenQuestion,
    Question,
    QuestionClosed,
    QuestionKind,
    QuestionNotFound,
    Questions,
    Trust,
    Unanswered,
)
from stringd.plugin.text import limited, printable
from stringd_runs.messages.daemon_replies import RunErrorCode
from stringd_runs.running.run_refused import RunRefused

log = logging.getLogger(__name__)

_LONGEST_BODY = 100_000
_LONGEST_NAME = 80
_RETRY_SECONDS = 1.0


class AskedPerson(Struct, kw_only=True, eq=False):
    """A person who is asked, and the open question in the daemon's list, if there is one.

    `number` is unique among the questions of an execution.
    """

    number: int
    agent: str
    prompt: str
    answered: asyncio.Future[str]
    question_id: str | None = None

    def note_opened(self, opened: OpenQuestion) -> None:
        """Note that the question is in the list."""
        self.question_id = opened.id


class People:
    """Asks people on behalf of one run, and takes their answers; the first one counts."""

    def __init__(self, questions: Questions, *, user_id: str, run_id: str) -> None:
        self._questions = questions
        self._user_id = user_id
        self._run_id = run_id
        self._asked: list[AskedPerson] = []
        self._numbers = itertools.count(1)

    @property
    def asked(self) -> tuple[AskedPerson, ...]:
        """Who is asked, in the order of asking."""
        return tuple(self._asked)

    async def ask(self, agent: str, prompt: str, announce: Callable[[], None]) -> str:
        """Return the answer, however long that takes; `announce` is called once it can be given."""
        answered: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        person = AskedPerson(number=next(self._numbers), agent=agent, prompt=prompt, answered=answered)
        self._asked.append(person)
        listed = asyncio.create_task(self._list(person))
        try:
            announce()
            return await person.answered
        finally:
            self._asked.remove(person)
            listed.cancel()
            await asyncio.wait((listed,))

    def answer(self, agent: str | None, text: str, through: str, number: int | None = None) -> None:
        """Answer the first question to an agent, or to anybody, or the one with a number.

        Raises `RunRefused` if there is none.
        """
        for person in self._asked:
            is_meant = agent in (None, person.agent) and number in (None, person.number)
            if is_meant and not person.answered.done():
                self._close_question(person, text, through)
                person.answered.set_result(text)
                return
        nobody = "Nobody is asked" if agent is None else f"{agent!r} is not asked"
        asked = ", ".join(repr(it.agent) for it in self._asked if not it.answered.done())
        hint = f"; asked: {asked}" if asked else ""
        raise RunRefused(RunErrorCode.NO_PENDING_INPUT, f"{nobody} for input in this run{hint}.")

    def _close_question(self, person: AskedPerson, text: str, through: str) -> None:
        """Have the list of questions show the answer; refuse it if that has another one already."""
        if person.question_id is None:
            return
        try:
            self._questions.answer(person.question_id, text, by=self._user_id, through=through)
        except QuestionClosed as closed:
            raise RunRefused(RunErrorCode.NO_PENDING_INPUT, str(closed)) from closed
        except (AnswerInvalid, QuestionNotFound):
            # The list takes shorter texts than runs; its question is withdrawn.
            log.debug("the answer to %s is not shown in the list of questions", person.question_id)

    async def _list(self, person: AskedPerson) -> None:
        """Have the person's question in the list of questions until it is answered."""
        told: ErrorCode | str | None = None
        while True:
            try:
                answer = await self._questions.ask(self._question(person), opened=person.note_opened)
            except Unanswered as unanswered:
                person.question_id = None
                if unanswered.code not in {ErrorCode.QUESTION_WITHDRAWN, told}:
                    told = unanswered.code
                    log.warning("a question of run %s is not listed: %s", self._run_id, unanswered)
                # The topic of the run was closed, but the run still needs the answer.
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            if not person.answered.done():
                person.answered.set_result(answer.text)
            return

    def _question(self, person: AskedPerson) -> Question:
        name = printable(person.agent)[:_LONGEST_NAME]
        return Question(
            kind=QuestionKind.TEXT,
            title=f"Run {self._run_id} asks {name}",
            asked_by="runs",
            body=limited(person.prompt.encode(errors="replace").decode(), _LONGEST_BODY),
            details={"run": self._run_id, "agent": name},
            trust=Trust.ANYONE,
            user_id=self._user_id,
            topic=f"run:{self._run_id}",
        )
