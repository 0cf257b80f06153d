"""The interface to open questions: ask, show and answer them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from stringd.api.event_interfaces import ChangeSignal
from stringd.api.questions import Answer, ClosedQuestion, OpenQuestion, Question
from stringd.api.shared_questions import OtherQuestions


class Questions(Protocol):
    """The questions of this daemon. Call all functions in the thread of the event loop."""

    async def ask(
        self,
        question: Question,
        *,
        disconnected: Callable[[], Awaitable[None]] | None = None,
        opened: Callable[[OpenQuestion], None] | None = None,
    ) -> Answer:
        """Return the first valid answer; `opened` is called when the question is open.

        The question is withdrawn when the asking task is cancelled, when `disconnected` returns, when its
        topic or user ends, and when the daemon stops. Raises `Unanswered` if there is no answer: nobody can
        give one, none arrived in time, or the question was withdrawn. In a command, that becomes an error
        reply.
        """

    def listed(self, user_id: str | None = None) -> Sequence[OpenQuestion]:
        """Return the open questions of a user, or all, in the order in which they were asked."""

    def get(self, question_id: str, user_id: str | None = None) -> OpenQuestion:
        """Return an open question, or raise `QuestionNotFound` or `QuestionClosed`.

        For a user, only that user's questions and those without a user exist.
        """

    def closed(self, question_id: str) -> ClosedQuestion | None:
        """Return the outcome of a closed question, if it is still known."""

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
        """Answer a question; the caller must have checked that `by` may do so.

        Raises `QuestionNotFound`, `QuestionClosed`, which says who answered, or `AnswerInvalid`.
        """

    def mark_shown(self, question_id: str) -> None:
        """Note that a question is shown to a person; its time to answer starts."""

    def asked_here(self) -> Sequence[OpenQuestion]:
        """Return the open questions of this daemon in their order, without those of other nodes."""

    async def send_answer(self, question_id: str, by: str, fields: Mapping[str, Any]) -> None:
        """Answer a question here or, if another node asks it, there; see `answer`.

        The fields are those of `POST /questions/ID`, with `answer` and `through`. Raises `Unavailable` if the
        other node can't be reached.
        """

    async def send_shown(self, question_id: str) -> None:
        """Note likewise that a question is shown to a person."""

    @property
    def operator_state(self) -> str:
        """`attached` or `absent` if the daemon has an operator, otherwise `none`."""

    @property
    def is_attended_here(self) -> bool:
        """Whether an operator is attached to this daemon, not only to other nodes."""

    def appoint_operator(self) -> str:
        """Return a token of the operator, in addition to those that exist."""

    def is_operator(self, token: str) -> bool:
        """Return whether a token is that of this daemon's operator."""

    def tell_operator(self, line: str) -> bool:
        """Write a line in the terminal where the operator was given the token; whether there is one."""

    def attach_operator(self) -> AbstractContextManager[None]:
        """Return a context in which an operator is attached."""

    def share(self, others: OtherQuestions) -> None:
        """Make this daemon one of several nodes, and show the questions of the others, too."""

    def others_changed(self) -> None:
        """Tell front ends that questions or operators of other nodes have changed."""

    def watched(self) -> AbstractContextManager[ChangeSignal]:
        """Return a signal that is set, in the context, whenever a question is asked, shown or closed."""
