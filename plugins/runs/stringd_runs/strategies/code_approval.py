"""The operator's approval of strategies that are code, which run in the daemon itself."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from pathlib import Path
from weakref import WeakValueDictionary

from stringd.plugin import Disconnected, Question, QuestionKind, Questions, Trust, Unanswered, User
from stringd.plugin.text import printable
from stringd_runs.strategies.strategy import StrategyInvalid

_SECONDS = 600
_LONGEST_NAME = 100


class CodeApprovals:
    """Files of code and whether a person has approved them, for as long as the daemon lives.

    An approval is for the path and the content; a changed file is asked about again.
    """

    def __init__(self, questions: Questions) -> None:
        self._questions = questions
        self._approved: set[tuple[Path, str]] = set()
        self._asking: WeakValueDictionary[tuple[Path, str], asyncio.Lock] = WeakValueDictionary()

    async def require(
        self,
        path: Path,
        text: str,
        user: User,
        disconnected: Disconnected | None = None,
        *,
        approved: str | None = None,
    ) -> str:
        """Return the SHA-256 of a file once it is approved; raise `StrategyInvalid` if nobody approves it.

        The question is withdrawn when `disconnected` returns. A file with the hash `approved` was approved on
        another node for the run that goes on here.
        """
        key = path, sha256(text.encode()).hexdigest()
        async with self._asking.setdefault(key, asyncio.Lock()):
            if key not in self._approved and key[1] != approved:
                await self._ask(*key, text, user, disconnected)
                self._approved.add(key)
        return key[1]

    async def _ask(
        self, path: Path, digest: str, text: str, user: User, disconnected: Disconnected | None
    ) -> None:
        name = printable(path.name)[:_LONGEST_NAME]
        question = Question(
            kind=QuestionKind.APPROVE,
            title=f"Run the code of the strategy {name} in the daemon?",
            body=text,
            details={"file": printable(str(path)), "user": printable(user.id), "SHA-256": digest},
            asked_by="runs",
            expires=_SECONDS,
            trust=Trust.PERSON,
            user_id=user.id,
        )
        try:
            answer = await self._questions.ask(question, disconnected=disconnected)
        except Unanswered as unanswered:
            context = " ".join(unanswered.context)
            reason = f"this strategy is code, which the operator must approve: {unanswered.message} {context}"
            raise StrategyInvalid(reason.strip(), path) from None
        if not answer.approved:
            comment = f": {answer.comment}" if answer.comment else ""
            raise StrategyInvalid(f"the operator has not approved the code of this strategy{comment}", path)
