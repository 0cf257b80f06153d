"""What it may take to read a text, told from what it is made of before it is read."""

from __future__ import annotations

# In characters of prose, a megabyte of which takes about a second: what makes Markdown look further.
_COSTS = {"[": 30, "*": 10, "_": 5, "`": 5, "<": 5, "|": 5, "\n": 3}

AT_ONCE = 32_000
"""What takes some milliseconds, less than it takes to ask somebody else."""
IN_A_THREAD = 2_000_000
"""What takes a second or two; all that takes longer is read where it can be stopped."""
OF_A_STRANGER = 200_000
"""The same for what has come over the network."""


def effort(text: str) -> int:
    """Return how many characters of prose would take as long."""
    return len(text) + sum(cost * text.count(mark) for mark, cost in _COSTS.items())
