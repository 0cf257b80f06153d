"""Permissions for an agent's tools: questions are sent to the clients of a run, which decide."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress

from msgspec import Struct

from stringd.plugin import (
    AnswerInvalid,
    EventFilter,
    Published,
    Question,
    QuestionAsked,
    QuestionClosed,
    QuestionKind,
    QuestionNotFound,
    Runtime,
    Trust,
)
from stringd_runs.agent import ToolUse
from stringd_runs.messages.client_messages import Decision
from stringd_runs.messages.daemon_replies import RunErrorCode
from stringd_runs.messages.run_events import RequestPermission
from stringd_runs.running.run_refused import RunRefused

_THROUGH = "/ws"
_OPERATOR = "operator"
_ALLOWING = frozenset({Decision.ALLOW, Decision.ALLOW_SESSION})
_LASTING = frozenset({Decision.ALLOW_SESSION, Decision.DENY_SESSION})


class _Matter(Struct, frozen=True):
    """What a lasting decision is about."""

    agent: str
    tool: str
    operation: str


class _Verdict(Struct, frozen=True, kw_only=True):
    """A lasting decision, and whether the operator has made it."""

    allows: bool
    is_operator: bool


class Permissions:
    """The open questions of one run's tools, and the decisions that hold for the rest of it."""

    def __init__(
        self,
        run_id: str,
        user_id: str,
        runtime: Runtime,
        publish: Callable[[RequestPermission], None],
        has_operator: Callable[[], bool],
    ) -> None:
        self._run_id = run_id
        self._user_id = user_id
        self._runtime = runtime
        self._publish = publish
        self._has_operator = has_operator
        self._asked: dict[str, tuple[ToolUse, Question]] = {}
        self._verdicts: dict[_Matter, _Verdict] = {}

    @contextmanager
    def using(self, use: ToolUse) -> Iterator[None]:
        """Show the questions that a tool's command asks; clients with the operator's token are operators."""
        wanted = EventFilter(
            user_id=self._user_id,
            topic=use.topic,
            request_id=use.request_id,
            kinds=frozenset({QuestionAsked.kind}),
        )
        questions = self._runtime.questions
        attached = questions.attach_operator() if self._has_operator() else nullcontext()
        with attached, self._runtime.events.watch(wanted) as asked:
            mirroring = asyncio.ensure_future(self._mirror(asked, use))
            try:
                yield
            finally:
                mirroring.cancel()
                self._asked = {name: it for name, it in self._asked.items() if it[0] is not use}

    def decide(self, permission_id: str, decision: Decision, *, is_operator: bool) -> None:
        """Answer a question; raise `RunRefused` if it is not open, or not this client's to answer."""
        if permission_id not in self._asked:
            raise _no_permission(f"No permission {permission_id} is asked for.")
        use, question = self._asked[permission_id]
        if question.trust is Trust.PERSON and not is_operator:
            raise _no_permission(
                "Only the operator may decide this: connect with the operator's token in X-Operator-Token."
            )
        verdict = _Verdict(allows=decision in _ALLOWING, is_operator=is_operator)
        self._answer(permission_id, verdict)
        # Where an answer can say more than yes or no, such as how long it holds, each question is decided.
        if decision in _LASTING and not question.extras:
            self._verdicts[_matter(use, question)] = verdict

    async def _mirror(self, events: AsyncIterator[Published], use: ToolUse) -> None:
        async for published in events:
            if isinstance(published.event, QuestionAsked):
                self._show(published.event.question_id, use)

    def _show(self, question_id: str, use: ToolUse) -> None:
        """Publish a question, or answer it by an earlier decision."""
        try:
            question = self._runtime.questions.get(question_id).question
        except (QuestionNotFound, QuestionClosed):
            return
        if question.kind is not QuestionKind.APPROVE:
            return
        self._asked[question_id] = use, question
        verdict = self._verdicts.get(_matter(use, question))
        if verdict and not question.extras and (verdict.is_operator or question.trust is Trust.ANYONE):
            with suppress(RunRefused):
                self._answer(question_id, verdict)
            # One that does not take this answer is left to people.
            if question_id not in self._asked:
                return
        self._publish(
            RequestPermission(
                run_id=self._run_id,
                request_id=question_id,
                agent_name=use.agent,
                tool_name=use.tool,
                operation=_operation(use, question),
                resource=question.body or question.title,
                reason=question.details.get("reason", question.title),
                details={**question.details, "topic": use.topic},
            )
        )
        if self._has_operator():
            with suppress(QuestionNotFound, QuestionClosed):
                self._runtime.questions.mark_shown(question_id)

    def _answer(self, question_id: str, verdict: _Verdict) -> None:
        by = _OPERATOR if verdict.is_operator else self._user_id
        try:
            self._runtime.questions.answer(question_id, verdict.allows, by=by, through=_THROUGH)
        except AnswerInvalid as refused:
            raise _no_permission(str(refused)) from None
        except (QuestionNotFound, QuestionClosed) as refused:
            del self._asked[question_id]
            raise _no_permission(str(refused)) from None
        del self._asked[question_id]


def _matter(use: ToolUse, question: Question) -> _Matter:
    return _Matter(use.agent, use.tool, _operation(use, question))


def _operation(use: ToolUse, question: Question) -> str:
    """Return the operation and its command, without the object: that follows a colon in the title."""
    deed = question.title.partition(": ")[0]
    return f"{deed}: {use.word}" if use.word else deed


def _no_permission(message: str) -> RunRefused:
    return RunRefused(RunErrorCode.NO_PENDING_PERMISSION, message)
