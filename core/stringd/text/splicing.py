"""Replace spans of a text."""

from __future__ import annotations

from collections.abc import Iterable

Splice = tuple[int, int, str]
"""The start and end of a span, and the text that replaces it."""


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Apply splices, which are in order and do not overlap."""
    pieces, position = [], 0
    for start, end, replacement in splices:
        pieces += [text[position:start], replacement]
        position = end
    return "".join((*pieces, text[position:]))
