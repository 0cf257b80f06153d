"""The name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

LONGEST = 64
# Each name that is compared takes some microseconds; a page may have a million.
MOST_COMPARED = 2000


def nearest(word: str, names: Iterable[str]) -> str | None:
    """Return the name that is most like the word, if one is like it at all."""
    return next(iter(get_close_matches(word[:LONGEST], islice(names, MOST_COMPARED), n=1)), None)
