"""The rows of measurements, and their table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_HEADINGS = ("what", "measured", "reference", "ratio", "goal", "verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the table; a row without a goal only states a figure."""

    what: str
    measured: str
    reference: str = "-"
    ratio: float | None = None
    goal: str = "-"
    met: bool | None = None

    def cells(self) -> tuple[str, ...]:
        """The texts of the row, in the order of the headings."""
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}"
        return (self.what, self.measured, self.reference, ratio, self.goal, self.verdict())

    def verdict(self) -> str:
        """The verdict: met, missed, or stated if there is no goal."""
        if self.met is None:
            return "stated"
        return "met" if self.met else "**missed**"


def at_least(bound: float, ratio: float, *, what: str, measured: str, reference: str) -> Row:
    """Return a row whose ratio must be at least the bound."""
    return Row(
        what=what,
        measured=measured,
        reference=reference,
        ratio=ratio,
        goal=f"at least {bound:g}",
        met=ratio >= bound,
    )


def at_most(bound: float, ratio: float, *, what: str, measured: str, reference: str) -> Row:
    """Return a row whose ratio must be at most the bound."""
    return Row(
        what=what,
        measured=measured,
        reference=reference,
        ratio=ratio,
        goal=f"at most {bound:g}",
        met=ratio <= bound,
    )


def markdown(rows: Iterable[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = [_HEADINGS, ("---",) * len(_HEADINGS), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
