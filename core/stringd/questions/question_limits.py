"""Limits on the number and the size of open questions."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct, field

from stringd.api.questions import Question
from stringd.errors import ErrorCode, Unanswered

MOST_OPEN = 1000
MOST_OF_USER = 200
MOST_CHARACTERS = 16 * 1024 * 1024


class QuestionLimits(Struct):
    """Counts the open questions and the size of their texts, and refuses those that exceed a limit."""

    by_user: Counter[str | None] = field(default_factory=Counter)
    characters: int = 0

    def add(self, question: Question) -> None:
        """Count a question, or raise `Unanswered`."""
        self._refuse_excess(question)
        self.by_user[question.user_id] += 1
        self.characters += question.size

    def remove(self, question: Question) -> None:
        """Stop counting a question."""
        self.by_user[question.user_id] -= 1
        if not self.by_user[question.user_id]:
            del self.by_user[question.user_id]
        self.characters -= question.size

    def _refuse_excess(self, question: Question) -> None:
        if self.by_user.total() >= MOST_OPEN:
            raise _too_many(f"{MOST_OPEN} questions are open already")
        if question.user_id is not None and self.by_user[question.user_id] >= MOST_OF_USER:
            raise _too_many(f"{MOST_OF_USER} questions of {question.user_id} are open already")
        if self.characters + question.size > MOST_CHARACTERS:
            raise _too_many(f"the open questions have {self.characters} characters already")


def _too_many(reason: str) -> Unanswered:
    return Unanswered(ErrorCode.TOO_MANY_QUESTIONS, f"The question can't be asked: {reason}.")
