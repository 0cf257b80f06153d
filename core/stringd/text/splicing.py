"""Replace spans of a text."""

from __future__ import annotations

from collections.abc import Iterable


def splice(text: str, replacements: Iterable[tuple[int, int, str]]) -> str:
    """Return the text with each span (start, end) replaced; the spans are in order and do not overlap."""
    pieces: list[str] = []
    position = 0
    for start, end, replacement in replacements:
        pieces += (text[position:start], replacement)
        position = end
    return "".join((*pieces, text[position:]))
