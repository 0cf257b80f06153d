"""The open questions, and the outcomes of recently closed ones."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from stringd.api.change_signals import ChangeSignals
from stringd.api.event_interfaces import Observer
from stringd.api.events import (
    DaemonStopping,
    Event,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    SessionEnded,
    UserRemoved,
)
from stringd.api.questions import Answer, ClosedQuestion, OpenQuestion, Question, Trust
from stringd.api.runtime import Disconnected
from stringd.errors import ErrorCode, QuestionClosed, QuestionNotFound, Unanswered
from stringd.questions.answer_values import make_answer
from stringd.questions.operator import Operator
from stringd.questions.question_ends import END_REASONS, ends_with, outcome_of
from stringd.questions.question_limits import QuestionLimits

MOST_CLOSED = 1000
_ID_BYTES = 4
_NO_OPERATOR = (
    "This daemon has no operator: it was started neither in a terminal nor by `stringd approve`.",
    "To start one with an operator: `stringd shutdown`, then `stringd approve` in your own terminal.",
)
_NOT_ATTACHED = (
    "No operator is attached.",
    "Whoever has the operator's token can attach with `stringd approve` in a terminal.",
)


class _Pending(Struct):
    opened: OpenQuestion
    outcome: asyncio.Future[Answer | Unanswered]
    timer: asyncio.TimerHandle | None = None


class OpenQuestions:
    """Asks questions, accepts answers, and withdraws abandoned questions; implements `Questions`."""

    def __init__(self, operator: Operator, publish: Callable[[Event], None]) -> None:
        self._operator = operator
        self._publish = publish
        self._pending: dict[str, _Pending] = {}
        self._closed: dict[str, ClosedQuestion] = {}
        self._limits = QuestionLimits()
        self._changes = ChangeSignals()
        self._attached = 0
        self.node: str | None = None
        """The name of this node of a cluster, which its questions bear."""
        self._is_stopping = False

    @property
    def observer(self) -> Observer:
        """The observer that withdraws questions when their topics end."""
        kinds = frozenset({SessionEnded.kind, UserRemoved.kind, DaemonStopping.kind})
        return Observer(name="questions", on_event=self._end_with, kinds=kinds)

    @property
    def operator_state(self) -> str:
        """`attached` or `absent` if the daemon has an operator, otherwise `none`."""
        if self.is_attended:
            return "attached"
        return "absent" if self._operator.is_appointed else "none"

    async def ask(
        self,
        question: Question,
        *,
        disconnected: Disconnected | None = None,
        opened: Callable[[OpenQuestion], None] | None = None,
    ) -> Answer:
        """Return the first valid answer; see `Questions.ask`."""
        pending = self._open(question)
        try:
            if opened:
                opened(pending.opened)
            outcome = await outcome_of(pending.outcome, disconnected)
        except asyncio.CancelledError:
            self._withdraw(pending, "its asker was cancelled")
            raise
        finally:
            self._withdraw(pending, "its asker is gone")
        if isinstance(outcome, Unanswered):
            raise outcome
        return outcome

    def listed(self, user_id: str | None = None) -> Sequence[OpenQuestion]:
        """Return the open questions of a user, or all, in the order in which they were asked."""
        opened = (it.opened for it in self._pending.values())
        return [it for it in opened if user_id is None or it.question.user_id == user_id]

    def asked_here(self) -> Sequence[OpenQuestion]:
        """Return the open questions of this daemon in their order, without those of other nodes."""
        return [it.opened for it in self._pending.values()]

    def get(self, question_id: str, user_id: str | None = None) -> OpenQuestion:
        """Return an open question; for a user, only that user's own and those without a user exist."""
        return self._find(question_id, user_id).opened

    def closed(self, question_id: str) -> ClosedQuestion | None:
        """Return the outcome of a closed question, if it is still known."""
        return self._closed.get(question_id)

    def answer(
        self,
        question_id: str,
        value: object,
        *,
        by: str,
        through: str,
        comment: str | None = None,
        extras: Mapping[str, Any] | None = None,
    ) -> None:
        """Answer a question; see `Questions.answer`."""
        pending = self._find(question_id)
        question = pending.opened.question
        answer = make_answer(question, value, by=by, through=through, comment=comment, extras=extras)
        closed = ClosedQuestion(id=question_id, user_id=question.user_id, by=by, through=answer.through)
        self._close(pending, answer, closed)
        self._publish(
            QuestionAnswered(**_owner(question), question_id=question_id, by=by, through=answer.through)
        )

    def mark_shown(self, question_id: str) -> None:
        """Note that a question is shown to a person; its time to answer starts."""
        self._start_time(self._find(question_id))
        self._changes.notify()

    def appoint_operator(self) -> str:
        """Return a further token of the operator."""
        return self._operator.appoint()

    def is_operator(self, token: str) -> bool:
        """Return whether a token is that of this daemon's operator."""
        return self._operator.accepts(token)

    def tell_operator(self, line: str) -> bool:
        """Write a line in the terminal where the operator was given the token; see `Questions`."""
        return self._operator.tell(line)

    @contextmanager
    def attach_operator(self) -> Iterator[None]:
        """Attach an operator for the duration of the context."""
        self._attached += 1
        self._changes.notify()
        try:
            yield
        finally:
            self._attached -= 1
            self._start_unseen()
            self._changes.notify()

    @property
    def is_attended_here(self) -> bool:
        """Whether an operator is attached to this daemon, not only to other nodes."""
        return self._attached > 0

    @property
    def is_attended(self) -> bool:
        """Whether an operator is attached."""
        return self.is_attended_here

    def _start_unseen(self) -> None:
        """Start the time of questions that are not shown to anyone, which must not wait forever."""
        if not self.is_attended:
            for pending in self._pending.values():
                self._start_time(pending)

    def watched(self) -> AbstractContextManager[asyncio.Event]:
        """Return an event that is set whenever a question is asked, shown or closed."""
        return self._changes.watched()

    def of_request(self, user_id: str, topic: str, request_id: str | None) -> OpenQuestion | None:
        """Return the latest question of a topic, unless it belongs to another request."""
        for pending in reversed(self._pending.values()):
            question = pending.opened.question
            if (question.user_id, question.topic) == (user_id, topic) and question.request_id in {
                None,
                request_id,
            }:
                return pending.opened
        return None

    def _open(self, question: Question) -> _Pending:
        if not isinstance(question, Question):
            raise TypeError(f"expected a Question, got {question!r}")
        if self._is_stopping:
            raise Unanswered(ErrorCode.QUESTION_WITHDRAWN, "stringd is shutting down.")
        self._refuse_unanswerable(question)
        self._limits.add(question)
        opened = OpenQuestion(id=self._new_id(), question=question, asked_at=time.time(), node=self.node)
        pending = _Pending(opened, asyncio.get_running_loop().create_future())
        self._pending[opened.id] = pending
        if question.trust is Trust.ANYONE:
            self._start_time(pending)
        asked = QuestionAsked(**_owner(question), question_id=opened.id, question=pending.opened.as_json())
        self._publish(asked)
        self._changes.notify()
        return pending

    def _refuse_unanswerable(self, question: Question) -> None:
        if question.trust is Trust.ANYONE or self.is_attended:
            return
        if not self._operator.is_appointed:
            raise Unanswered(ErrorCode.OPERATOR_REQUIRED, *_NO_OPERATOR)
        if not question.waits_for_operator:
            raise Unanswered(ErrorCode.OPERATOR_REQUIRED, *_NOT_ATTACHED)

    def _new_id(self) -> str:
        while (new := f"q{secrets.token_hex(_ID_BYTES)}") in self._pending or new in self._closed:
            pass
        return new

    def _find(self, question_id: str, user_id: str | None = None) -> _Pending:
        pending = self._pending.get(question_id)
        known = pending.opened.question if pending else self.closed(question_id)
        if known is None or (user_id is not None and known.user_id not in {None, user_id}):
            raise QuestionNotFound("There is no such question.")
        if pending is None:
            raise QuestionClosed(str(known))
        return pending

    def _start_time(self, pending: _Pending) -> None:
        seconds = pending.opened.question.expires
        if seconds is None or pending.timer:
            return
        pending.opened = replace(pending.opened, expires_at=time.time() + seconds)
        loop = asyncio.get_running_loop()
        pending.timer = loop.call_later(seconds, self._expire, pending)

    def _expire(self, pending: _Pending) -> None:
        seconds = pending.opened.question.expires
        unanswered = Unanswered(ErrorCode.QUESTION_EXPIRED, f"Nobody answered within {seconds:g} s.")
        self._withdraw(pending, "it has expired", unanswered)

    def _end_with(self, event: Event) -> None:
        """Withdraw the questions of an ended topic or removed user, or all when the daemon stops."""
        self._is_stopping = self._is_stopping or isinstance(event, DaemonStopping)
        for pending in list(self._pending.values()):
            question = pending.opened.question
            if ends_with(question, event):
                self._withdraw(pending, END_REASONS[event.kind])
        self._changes.notify()

    def _withdraw(self, pending: _Pending, reason: str, unanswered: Unanswered | None = None) -> None:
        if pending.outcome.done():
            return
        opened = pending.opened
        withdrawn = unanswered or Unanswered(
            ErrorCode.QUESTION_WITHDRAWN, f"The question was withdrawn: {reason}."
        )
        self._close(
            pending, withdrawn, ClosedQuestion(id=opened.id, user_id=opened.question.user_id, reason=reason)
        )
        self._publish(QuestionWithdrawn(**_owner(opened.question), question_id=opened.id, reason=reason))

    def _close(self, pending: _Pending, outcome: Answer | Unanswered, closed: ClosedQuestion) -> None:
        del self._pending[closed.id]
        self._limits.remove(pending.opened.question)
        if pending.timer:
            pending.timer.cancel()
        self._closed[closed.id] = closed
        if len(self._closed) > MOST_CLOSED:
            del self._closed[next(iter(self._closed))]
        pending.outcome.set_result(outcome)
        self._changes.notify()


def _owner(question: Question) -> dict[str, Any]:
    return {"user_id": question.user_id, "topic": question.topic, "request_id": question.request_id}
