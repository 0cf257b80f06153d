"""Many names in one line of a reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stringd.text.nearest import most_like

MOST = 60


def listed(names: Sequence[str], where: str, *, most: int = MOST, between: str = ", ") -> str:
    """Return names in a line; of more than sixty, the first, how many there are more, and where."""
    more = len(names) - most
    return between.join(names[:most]) + (f" … and {more} more: {where}" if more > 0 else "")


def nearest_first(word: str, names: Iterable[str]) -> list[str]:
    """Return names in their order; of more than sixty, those that are most like the word come first."""
    known = list(names)
    if len(known) <= MOST:
        return known
    near = dict.fromkeys(most_like(word, known, MOST))
    return [*near, *(name for name in known if name not in near)]
