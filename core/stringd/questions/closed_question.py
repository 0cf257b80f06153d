"""What became of a question that is open no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedQuestion:
    """What became of a question: who answered it through what, or why it was withdrawn."""

    id: str
    user_id: str | None
    by: str | None = None
    through: str | None = None
    reason: str | None = None

    def __str__(self) -> str:
        if self.by is not None:
            return f"The question was answered already, by {self.by} through {self.through}."
        return f"The question is not open any more: {self.reason}."

    def as_json(self) -> dict[str, Any]:
        """Return it as front ends are given it."""
        return {"id": self.id, "by": self.by, "through": self.through, "reason": self.reason}
