"""Replace spans of a text."""

from __future__ import annotations

from collections.abc import Iterable

Splice = tuple[int, int, str]
"""The start and end of a span, and the text that replaces it."""


def splice(text: str, replacements: Iterable[Splice]) -> str:
    """Return the text with each span (start, end) replaced; the spans are in order and do not overlap."""
    pieces: list[str] = []
    position = 0
    for start, end, replacement in replacements:
        pieces += (text[position:start], replacement)
        position = end
    return "".join((*pieces, text[position:]))
