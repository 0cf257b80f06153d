"""Ask the operator for what a program wants typed without echo, such as a password."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from stringd.plugin import Answer, ErrorCode, Question, QuestionKind, Refusal, Trust, Unanswered
from stringd.plugin.text import label, masked_in_shell
from stringd_bash.evaluation import Evaluation, Progress
from stringd_bash.topic_shell import TopicShell

_PAUSE_SECONDS = 0.1
_NEXT_SECONDS = 20.0
_PROMPT_LENGTH = 300
_TITLE = "A program in a shell asks for a secret."
_AGAIN = "(it asks again)"
_OVER = "The program does not ask for it any more."


class _Prompt(Struct, frozen=True):
    """What is known of a program while it waits: when any of it changes, it may not be asking any more."""

    evaluation: Evaluation
    received: int
    typed: int

    @classmethod
    def of(cls, evaluation: Evaluation) -> _Prompt:
        return cls(evaluation, evaluation.output.received, evaluation.shell.terminal.typed)


class PasswordQuestion:
    """Publishes a question while a program waits for hidden input, and types the answer into it.

    Only the program gets the answer. The question is withdrawn when the program stops asking, and when
    the agent itself types.
    """

    def __init__(self, topic_shell: TopicShell, hides_typing: Callable[[], bool]) -> None:
        self._topic_shell = topic_shell
        self._hides_typing = hides_typing
        self._asking: asyncio.Task[None] | None = None

    def ask(self, evaluation: Evaluation, shown: str) -> None:
        """Ask, unless that is being done; `shown` is the output at whose end the program waits."""
        if self._asking is None or self._asking.done():
            prompt = shown.rpartition("\n")[2][-_PROMPT_LENGTH:]
            self._asking = asyncio.create_task(self._converse(evaluation, prompt))

    async def close(self) -> None:
        """Withdraw the question."""
        if self._asking:
            self._asking.cancel()
            await asyncio.wait({self._asking})

    async def _converse(self, evaluation: Evaluation, shown: str) -> None:
        """Ask as often as the program does, as after a wrong password."""
        is_waiting = True
        while is_waiting and self._hides_typing():
            prompt = _Prompt.of(evaluation)
            answer = await self._answer(prompt, shown)
            if answer is None or not self._still_asks(prompt):
                return
            self._topic_shell.type_hidden(answer.text)
            del answer
            shown = _AGAIN
            is_waiting = await evaluation.wait(_NEXT_SECONDS) is Progress.WAITING

    async def _answer(self, prompt: _Prompt, shown: str) -> Answer | None:
        """Return the answer; None if nobody can give one, or the program no longer asks."""
        asking = asyncio.create_task(self._topic_shell.ask(self._question(prompt, shown)))
        ends: set[asyncio.Future[Any]] = {asking, prompt.evaluation.result}
        try:
            while not asking.done() and self._still_asks(prompt):
                await asyncio.wait(ends, timeout=_PAUSE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                with contextlib.suppress(Unanswered):
                    return asking.result()
            return None
        finally:
            asking.cancel()

    def _question(self, prompt: _Prompt, shown: str) -> Question:
        def refuse_late(_: Answer) -> None:
            if not self._still_asks(prompt):
                raise Refusal(ErrorCode.CONFLICT, _OVER)

        return Question(
            kind=QuestionKind.SECRET,
            title=_TITLE,
            body=shown,
            details={
                "program": label(masked_in_shell(prompt.evaluation.text)),
                "directory": self._topic_shell.cwd,
            },
            asked_by="bash",
            trust=Trust.PERSON,
            waits_for_operator=True,
            check=refuse_late,
        )

    def _still_asks(self, prompt: _Prompt) -> bool:
        evaluation = prompt.evaluation
        return evaluation.is_running and self._hides_typing() and _Prompt.of(evaluation) == prompt
