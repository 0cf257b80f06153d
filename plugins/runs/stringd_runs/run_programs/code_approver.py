"""The approval of a strategy that is code, in a daemon of the program's own: the program is its operator."""

from __future__ import annotations

import select
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from stringd.plugin import Fault
from stringd.plugin.terminal_programs import Client, Keyboard, QuestionFeed, announce, question_page

if TYPE_CHECKING:
    from stringd.plugin.terminal_programs import DaemonAddress
    from stringd_runs.run_programs.message_feed import MessageFeed

_ASKER = "runs"
_THROUGH = "stringd run"
_PROMPT = "Allow? [y/N] "
_DECISIONS = {"y": True, "Y": True, "n": False, "N": False, "\n": False, "\r": False, "\x04": False}
_NOBODY = (
    "this strategy is code, which a person must approve: run it at a terminal, or without --dry in a daemon"
    " that `stringd approve` has started and where it asks you"
)


class CodeApprover:
    """Answers the questions whether a user's strategies may run, as the operator."""

    def __init__(self, client: Client, token: str, questions: QuestionFeed, *, is_person_there: bool) -> None:
        self._client = client
        self._token = token
        self._questions = questions
        self._is_person_there = is_person_there

    def await_reply(self, feed: MessageFeed) -> None:
        """Return when the feed has a message; answer what is asked until then.

        Raise a `Fault` if there is a question, but nobody to answer it.
        """
        watched: list[Any] = [feed, self._questions]
        while feed not in (ready := select.select(watched, [], [])[0]):
            if self._questions in ready:
                self._questions.take()
            for question in self._open():
                self._settle(question)

    def _open(self) -> Sequence[dict[str, Any]]:
        asked = self._questions.questions.values()
        return [it for it in asked if (it["asked_by"], it["user_id"]) == (_ASKER, self._client.user)]

    def _settle(self, question: dict[str, Any]) -> None:
        if not self._is_person_there:
            self._answer(question, is_allowed=False)
            raise Fault(_NOBODY)
        with Keyboard(sys.stdin.fileno()) as keyboard:
            self._show(question, keyboard.columns)
            is_allowed = self._decision(question["id"], keyboard)
        if is_allowed is not None:
            self._answer(question, is_allowed=is_allowed)

    def _show(self, question: dict[str, Any], columns: int) -> None:
        for line in question_page(question, columns, whole=True, now=time.time()):
            announce(line)
        self._client.mark_question_shown(question["id"], self._token)
        _prompt()

    def _decision(self, question_id: str, keyboard: Keyboard) -> bool | None:
        """Return what the person decides, or None if the question is no longer open."""

        def is_over() -> bool:
            self._questions.take()
            return question_id not in self._questions.questions

        decision = None
        try:
            while decision is None and (key := keyboard.read_key(self._questions, is_over)) is not None:
                decision = _DECISIONS.get(key)
        finally:
            announce("y" if decision else "" if decision is None else "n")
        return decision

    def _answer(self, question: dict[str, Any], *, is_allowed: bool) -> None:
        self._client.answer_question(question["id"], is_allowed, token=self._token, through=_THROUGH)
        self._questions.settle(question["id"])


@contextmanager
def code_approver(
    address: DaemonAddress, user: str, token: str, *, is_person_there: bool
) -> Iterator[CodeApprover]:
    """Attach the operator within the context."""
    with Client(user, address=address, start=False) as client, QuestionFeed(address, token) as questions:
        # Before the first event, the operator is not attached, and a question would be refused.
        while not any(it.name == "ready" for it in questions.take()):
            pass
        yield CodeApprover(client, token, questions, is_person_there=is_person_there)


def _prompt() -> None:
    with suppress(OSError):
        sys.stderr.write(_PROMPT)
        sys.stderr.flush()
