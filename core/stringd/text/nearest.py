"""The name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 64


def nearest(word: str, names: Iterable[str]) -> str | None:
    """Return the name that is most like the word, if one is like it at all."""
    return next(iter(get_close_matches(word[:LONGEST], names, n=1)), None)
