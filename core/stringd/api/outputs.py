"""The long answers that a topic keeps, so that what was left out of them can be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from stringd.api.sessions import Session
from stringd.frozen_record import FrozenRecord


class KeptOutput(FrozenRecord, frozen=True, kw_only=True):
    """The whole of an answer; `label` is the command that it answers.

    An `is_plain` text is not Markdown; an `is_printed` one, which is plain, is what a program has printed.
    """

    label: str
    text: str
    is_plain: bool
    is_printed: bool = False


class PrintedText(Protocol):
    """What a program has printed, too long to be held in memory."""

    @property
    def lost(self) -> str:
        """How much of it is lost, and why; empty if nothing is."""

    def text(self) -> Iterator[str]:
        """Yield the text in pieces; this blocks, and may be done in any thread."""

    def close(self) -> None:
        """Remove it."""


class TextPiece(FrozenRecord, frozen=True, kw_only=True):
    """One of the pieces of a very long output: its characters, and the line ends in it."""

    characters: int
    line_ends: int


class PiecedOutput(FrozenRecord, frozen=True, kw_only=True):
    """The whole of a very long output, which is stored in pieces; they end at line ends where possible."""

    id: int
    label: str
    pieces: Sequence[TextPiece]

    @property
    def characters(self) -> int:
        """The number of its characters."""
        return sum(it.characters for it in self.pieces)

    @property
    def lines(self) -> int:
        """The number of its lines."""
        return sum(it.line_ends for it in self.pieces) + 1


class OutputSummary(FrozenRecord, frozen=True, kw_only=True):
    """One entry in a list of kept answers."""

    number: int
    label: str
    characters: int


class Outputs(Protocol):
    """The last long answers of each topic; a failed read or write raises `StorageFailed`."""

    async def keep(self, session: Session, output: KeptOutput) -> int:
        """Store an answer and return its number; beyond the limits, remove the oldest."""

    async def keep_pieces(self, session: Session, label: str, pieces: Iterator[str]) -> int:
        """Store a program's output of any length, piece by piece, and return its number."""

    async def find(self, session: Session, number: int) -> KeptOutput | PiecedOutput | None:
        """Return the topic's answer of a number, or None."""

    async def piece(self, output: PiecedOutput, index: int) -> str:
        """Return a piece of an output; raise `StorageFailed` if it has been removed meanwhile."""

    async def kept(self, session: Session) -> Sequence[OutputSummary]:
        """List the topic's answers, the oldest first."""
