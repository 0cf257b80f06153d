"""What a measurement hands back, and the one table that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_HEADINGS = ("what", "measured", "reference", "ratio", "goal", "verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table; a row without a goal states a figure and cannot be missed."""

    what: str
    measured: str
    reference: str = "-"
    ratio: float | None = None
    goal: str = "-"
    met: bool | None = None

    def cells(self) -> tuple[str, ...]:
        """The line's texts, in the order of the headings."""
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}"
        return (self.what, self.measured, self.reference, ratio, self.goal, self.verdict())

    def verdict(self) -> str:
        """Met or missed, or stated where there is no goal."""
        if self.met is None:
            return "stated"
        return "met" if self.met else "**missed**"


def at_least(bound: float, ratio: float, *, what: str, measured: str, reference: str) -> Row:
    """A row whose ratio should not fall below the bound."""
    return Row(
        what=what,
        measured=measured,
        reference=reference,
        ratio=ratio,
        goal=f"at least {bound:g}",
        met=ratio >= bound,
    )


def at_most(bound: float, ratio: float, *, what: str, measured: str, reference: str) -> Row:
    """A row whose ratio should not rise above the bound."""
    return Row(
        what=what,
        measured=measured,
        reference=reference,
        ratio=ratio,
        goal=f"at most {bound:g}",
        met=ratio <= bound,
    )


def markdown(rows: Iterable[Row]) -> str:
    """All rows as one Markdown table."""
    lines = [_HEADINGS, ("---",) * len(_HEADINGS), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
