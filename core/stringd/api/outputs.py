"""The long answers that a topic keeps, so that what was left out of them can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from stringd.api.sessions import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOutput:
    """The whole of an answer; `label` is the command that it answers, and an `is_plain` one no Markdown."""

    label: str
    text: str
    is_plain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputSummary:
    """One entry in a list of kept answers."""

    number: int
    label: str
    characters: int


class Outputs(Protocol):
    """The last long answers of each topic; a failed read or write raises `StorageFailed`."""

    async def keep(self, session: Session, output: KeptOutput) -> int:
        """Store an answer and return its number; beyond the limits, remove the oldest."""

    async def find(self, session: Session, number: int) -> KeptOutput | None:
        """Return the topic's answer of a number, or None."""

    async def kept(self, session: Session) -> Sequence[OutputSummary]:
        """List the topic's answers, the oldest first."""
