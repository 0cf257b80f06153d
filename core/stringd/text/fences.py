"""Markdown code fences."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^[^\S\n]*(`{3,})", re.MULTILINE)


def fenced(text: str, language: str = "") -> str:
    """Return a text between fences longer than any within it."""
    longest = max((len(it) for it in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
