"""Summary of comparisons over many pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tests.web.fidelity.comparing import Tally

WANTED = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How much of a kind was found."""

    total: int
    missing: int

    @property
    def found(self) -> float:
        return 1 - self.missing / self.total if self.total else 1.0

    def __str__(self) -> str:
        return f"{self.total - self.missing:,} of {self.total:,} ({self.found:.2%})"


def shares(tallies: Iterable[Mapping[str, Tally]]) -> dict[str, Share]:
    """Sum up the tallies of pages, kind by kind."""
    sums: dict[str, Share] = {}
    for page in tallies:
        for kind, tally in page.items():
            before = sums.get(kind, Share(total=0, missing=0))
            sums[kind] = Share(total=before.total + tally.total, missing=before.missing + len(tally.missing))
    return sums


def told(what: str, pages: int, sums: Mapping[str, Share]) -> str:
    """Return the line that a run of the tests prints."""
    return f"{what}, {pages} pages: " + ", ".join(f"{kind} {share}" for kind, share in sums.items())
