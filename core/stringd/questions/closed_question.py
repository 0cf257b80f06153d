"""The outcome of a question that is no longer open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedQuestion:
    """The outcome of a question: who answered it and through what, or why it was withdrawn."""

    id: str
    user_id: str | None
    by: str | None = None
    through: str | None = None
    reason: str | None = None

    def __str__(self) -> str:
        if self.by is not None:
            return f"The question was already answered, by {self.by} through {self.through}."
        return f"The question is no longer open: {self.reason}."

    def as_json(self) -> dict[str, Any]:
        """Return the outcome in the format for front ends."""
        return {"id": self.id, "by": self.by, "through": self.through, "reason": self.reason}
