"""Suggestions for mistyped names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import partial
from heapq import nlargest

_LONGEST = 64
# Comparing two names takes microseconds, and a page may have a million names.
_MOST_COMPARED = 2000


def nearest(word: str, names: Iterable[str]) -> str | None:
    """Return the name most similar to the word, if any is similar."""
    return next(iter(most_like(word, names, 1)), None)


def most_like(word: str, names: Iterable[str], most: int) -> list[str]:
    """Return up to `most` names similar to the word, the most similar first."""
    known = list(names)
    if len(known) > _MOST_COMPARED:
        known = nlargest(_MOST_COMPARED, known, key=partial(_shared_beginning, word))
    return get_close_matches(word[:_LONGEST], known, n=most)


def _shared_beginning(word: str, name: str) -> int:
    """Return the length of the common prefix."""
    length = 0
    for one, other in zip(word, name, strict=False):
        if one != other:
            break
        length += 1
    return length
