"""Lists of names on one line, shortened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stringd.text.nearest import most_like

MOST = 60


def listed(names: Sequence[str], where: str, *, most: int = MOST, between: str = ", ") -> str:
    """Return the names on one line; after the first `most`, their number and where the others are listed."""
    more = len(names) - most
    return between.join(names[:most]) + (f" … and {more} more: {where}" if more > 0 else "")


def nearest_first(word: str, names: Iterable[str]) -> list[str]:
    """Return the names in order; if more than sixty, those most similar to the word first."""
    known = list(names)
    if len(known) <= MOST:
        return known
    near = dict.fromkeys(most_like(word, known, MOST))
    return [*near, *(name for name in known if name not in near)]
