"""The head and the tail of a text that is too long to be shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What is left out of a text, from `first` to `last`, and the numbers of its lines if these are whole."""

    first: int
    last: int
    lines: tuple[int, int] | None


def middle_of(text: str, most: int) -> Gap:
    """Return what to leave out so that at most `most` characters remain, half of them on either side.

    Cuts are made between lines, except where these are so long that too little would remain.
    """
    half = most // 2
    first = text.rfind("\n", half // 2, half) + 1 or half
    # The line end before a position makes it the beginning of a line.
    last = text.find("\n", len(text) - half - 1, len(text) - half // 2) + 1 or len(text) - half
    is_whole = text[first - 1] == text[last - 1] == "\n"
    lines = (text.count("\n", 0, first) + 1, text.count("\n", 0, last)) if is_whole else None
    return Gap(first=first, last=last, lines=lines)


def line_pieces(text: str, most: int) -> list[tuple[int, int]]:
    """Cut a text into pieces of at most `most` characters, between lines where they are short enough."""
    pieces = []
    start = 0
    while len(text) - start > most:
        end = text.rfind("\n", start + most // 2, start + most) + 1 or start + most
        pieces.append((start, end))
        start = end
    return [*pieces, (start, len(text))]
