"""Decide about a request: by a grant, or by the answer of the operator to a question."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from stringd.plugin import (
    Answer,
    Disconnected,
    ErrorCode,
    OpenQuestion,
    Question,
    QuestionKind,
    Questions,
    Refusal,
    RequestRefused,
    Unanswered,
)
from stringd_approval.asking.approver_program import consult, name_of
from stringd_approval.asking.display import Located, display_request
from stringd_approval.asking.grant_store import GrantStore
from stringd_approval.asking.grants import GrantError, check_terms, parse_terms, suggested_terms
from stringd_approval.asking.notation import NotationError, parse_pipeline, pipeline_text
from stringd_approval.decision import Decision, DecisionOutcome
from stringd_approval.exec_request import ExecRequest

log = logging.getLogger(__name__)

ASKER = "approval"
EDIT, GRANT = "edit", "grant"
LONGEST_SUGGESTION = 4096
"""In characters: terminals do not accept much longer lines."""
TERMINAL = "stringd approve"
"""The front end in which a password can be typed."""
_OUTCOMES = {
    ErrorCode.QUESTION_EXPIRED: DecisionOutcome.TIMEOUT,
    ErrorCode.QUESTION_WITHDRAWN: DecisionOutcome.WITHDRAWN,
}

_MOVED = "The programs or the directory of the request now lead elsewhere than was shown; ask again."

Locate: TypeAlias = Callable[[ExecRequest], Located]
"""Where a request leads now; may block."""
Recheck: TypeAlias = Callable[[ExecRequest], str | None]
"""Why a request that the operator has edited can't run, by the protocol, the policy or the execution."""


class QuestionPolicy(Protocol):
    """What a policy says of questions."""

    @property
    def approver(self) -> tuple[str, ...]:
        """The operator's own program that may answer, with its arguments."""

    @property
    def question_seconds(self) -> float:
        """The time to answer."""

    @property
    def exec_seconds(self) -> float:
        """The time that a pipeline may take."""


class Decider(Struct, frozen=True, kw_only=True):
    """Decides about requests that the policy asks about."""

    questions: Questions
    grants: GrantStore
    locate: Locate
    recheck: Recheck

    async def decide(
        self,
        request: ExecRequest,
        policy: QuestionPolicy,
        disconnected: Disconnected | None = None,
        *,
        request_id: str | None = None,
    ) -> Decision:
        """Return the decision of a grant or of the operator; without either, the request is denied.

        `request_id` is the client's id for the command that makes the request in a topic.
        """
        started = time.monotonic()
        located = await asyncio.to_thread(self.locate, request)
        if grant := await self.grants.use(request, _paths(located)):
            return Decision(outcome=DecisionOutcome.APPROVED, by=grant.by, through=f"grant {grant.id}")
        try:
            question = self._question(request, located, policy, request_id)
        except ValueError as error:
            comment = f"The request can't be shown to the operator: {error}."
            return Decision(outcome=DecisionOutcome.DENIED, by="nobody", through=ASKER, comment=comment)
        try:
            answer = await ask(self.questions, question, policy, disconnected)
        except Unanswered as unanswered:
            return undecided(unanswered, time.monotonic() - started)
        decision = decision_of(answer, time.monotonic() - started)
        runs_as_shown = decision.approved and EDIT not in answer.extras
        if runs_as_shown and await asyncio.to_thread(self.locate, request) != located:
            return replace(
                decision, outcome=DecisionOutcome.DENIED, by="nobody", through=ASKER, comment=_MOVED
            )
        return await self._with_extras(decision, answer, request, located)

    def _question(
        self, request: ExecRequest, located: Located, policy: QuestionPolicy, request_id: str | None
    ) -> Question:
        shown = display_request(request, located, exec_seconds=policy.exec_seconds)
        extras = {EDIT: pipeline_text(request.pipeline)}
        if not request.privileged and len(request.pipeline) == 1:
            extras[GRANT] = suggested_terms(request)

        def check(answer: Answer) -> None:
            self._check(answer, request)

        return Question(
            kind=QuestionKind.APPROVE,
            title=shown.title,
            asked_by=ASKER,
            body=shown.body,
            details=shown.details,
            expires=policy.question_seconds,
            user_id=request.user_id,
            topic=request.topic,
            request_id=request_id,
            check=check,
            extras=frozenset(extras),
            suggestions={name: it for name, it in extras.items() if len(it) <= LONGEST_SUGGESTION},
        )

    def _check(self, answer: Answer, request: ExecRequest) -> None:
        """Refuse an answer whose additional fields can't be accepted; the question stays open."""
        extras = answer.extras
        if extras and not answer.approved:
            raise _invalid("only an approval can have these fields")
        if len(extras) > 1:
            raise _invalid("a command is either edited or granted")
        if not all(isinstance(it, str) for it in extras.values()):
            raise _invalid("each of these fields must be a text")
        try:
            if EDIT in extras:
                self._check_edited(_edited(request, extras[EDIT]))
            elif GRANT in extras:
                check_terms(parse_terms(extras[GRANT]), request)
        except (NotationError, GrantError) as error:
            raise _invalid(str(error)) from None

    def _check_edited(self, edited: ExecRequest) -> None:
        if problem := self.recheck(edited):
            raise _invalid(problem)

    async def _with_extras(
        self, decision: Decision, answer: Answer, request: ExecRequest, located: Located
    ) -> Decision:
        if EDIT in answer.extras:
            edited = _edited(request, answer.extras[EDIT])
            return decision if edited == request else replace(decision, edited=edited)
        if GRANT in answer.extras:
            terms = parse_terms(answer.extras[GRANT])
            await self.grants.add(terms, request, _paths(located), by=decision.by, through=decision.through)
        return decision


async def ask(
    questions: Questions, question: Question, policy: QuestionPolicy, disconnected: Disconnected | None
) -> Answer:
    """Return the first answer of a person or of the policy's program; raises `Unanswered`."""
    async with _consulted(questions, policy.approver) as opened:
        return await questions.ask(question, disconnected=disconnected, opened=opened)


def decision_of(answer: Answer, seconds: float) -> Decision:
    """Return the decision that an answer is."""
    return Decision(
        outcome=DecisionOutcome.APPROVED if answer.approved else DecisionOutcome.DENIED,
        by=answer.by,
        through=answer.through,
        seconds=seconds,
        comment=answer.comment,
        has_terminal=answer.through == TERMINAL,
    )


def undecided(unanswered: Unanswered, seconds: float) -> Decision:
    """Return the decision where there is no answer: without anyone to ask, the request is denied."""
    outcome = _OUTCOMES.get(ErrorCode(unanswered.code), DecisionOutcome.DENIED)
    comment = (
        " ".join((unanswered.message, *unanswered.context)) if outcome is DecisionOutcome.DENIED else None
    )
    return Decision(outcome=outcome, by="nobody", through=ASKER, seconds=seconds, comment=comment)


def withdrawn(started: float) -> Decision:
    """Return the decision about a question whose asker was cancelled; it has begun to ask at `started`."""
    seconds = time.monotonic() - started
    return Decision(outcome=DecisionOutcome.WITHDRAWN, by="nobody", through=ASKER, seconds=seconds)


@asynccontextmanager
async def _consulted(
    questions: Questions, approver: tuple[str, ...]
) -> AsyncIterator[Callable[[OpenQuestion], None] | None]:
    """Return a function that has the program answer an open question; kill the program at the end."""
    if not approver:
        yield None
        return
    consulting: list[asyncio.Task[None]] = []

    def opened(question: OpenQuestion) -> None:
        consulting.append(asyncio.create_task(_answer_by(questions, approver, question)))

    with ExitStack() as attached:
        attached.enter_context(questions.attach_operator())
        try:
            yield opened
        finally:
            for task in consulting:
                task.cancel()
            await asyncio.gather(*consulting, return_exceptions=True)


async def _answer_by(questions: Questions, approver: tuple[str, ...], opened: OpenQuestion) -> None:
    questions.mark_shown(opened.id)
    answer = await consult(approver, opened.as_json())
    if answer is None:
        return
    try:
        questions.answer(
            opened.id,
            answer.approves,
            by="approver",
            through=name_of(approver),
            comment=answer.comment,
        )
    except RequestRefused as refused:
        log.info("the answer of %s came to nothing: %s", approver[0], refused)


def _paths(located: Located) -> tuple[str, ...]:
    """Return the paths that a grant is bound to, of a request of one stage."""
    return *located.programs[0], located.directory


def _edited(request: ExecRequest, text: str) -> ExecRequest:
    return replace(request, pipeline=parse_pipeline(text))


def _invalid(message: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_PAYLOAD, message)
