"""Ask the operator for the password that sudo wants, in a terminal only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from msgspec import Struct

from stringd.plugin import Answer, ErrorCode, Question, QuestionKind, Questions, Refusal, Unanswered
from stringd_approval.asking.decider import ASKER, TERMINAL
from stringd_approval.asking.display import shortened
from stringd_approval.asking.notation import pipeline_text
from stringd_approval.exec_request import ExecRequest
from stringd_approval.exec_result import ExecFailed

_SECONDS = 60.0
_ASKED_BY = "sudo, or a command that it runs as root: both use the same terminal"


class SudoPassword(Struct, frozen=True, kw_only=True):
    """Asks for passwords of sudo."""

    questions: Questions

    def of(self, request: ExecRequest) -> Callable[[str], Awaitable[str]]:
        """Return a function that asks what a prompt wants, for a request that runs."""
        return partial(self._ask, request)

    async def _ask(self, request: ExecRequest, prompt: str) -> str:
        question = Question(
            kind=QuestionKind.SECRET,
            title="sudo asks for a password",
            asked_by=ASKER,
            body=prompt,
            details={
                "command": shortened(pipeline_text(request.pipeline)),
                "asked by": _ASKED_BY,
                "answer in": f"`{TERMINAL}`, the only place where a password of sudo is accepted",
            },
            expires=_SECONDS,
            user_id=request.user_id,
            topic=request.topic,
            check=_refuse_elsewhere,
        )
        try:
            answer = await self.questions.ask(question)
        except Unanswered as unanswered:
            raise ExecFailed(f"sudo got no password: {unanswered.message}") from None
        return answer.text


def _refuse_elsewhere(answer: Answer) -> None:
    if answer.through != TERMINAL:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"a password is only accepted from `{TERMINAL}`")
