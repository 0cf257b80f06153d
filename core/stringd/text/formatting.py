"""Numbers, lists of names and code, as replies show them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from stringd.text.nearest import most_like

MOST = 60
_FENCE = re.compile(r"^[^\S\n]*(`{3,})", re.MULTILINE)


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


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return `1 line`, `2 lines` and so on."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters: its beginning, where it is longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def line_range(first: int, last: int) -> str:
    """Return a range of lines as it is written behind a path: `:L5` or `:L5-L10`."""
    return f":L{first}" if first == last else f":L{first}-L{last}"


def line_count(text: str) -> int:
    """Return the number of lines; an unterminated last line counts."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def fenced(text: str, language: str = "") -> str:
    """Return a text between fences longer than any within it."""
    longest = max((len(it) for it in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
