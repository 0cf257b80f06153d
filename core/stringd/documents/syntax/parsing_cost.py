"""What it may take to read a text, told from what it is made of before it is read."""

from __future__ import annotations

import re

from stringd.documents.syntax.lines import BOM

# In characters of prose, a megabyte of which takes about a second: what makes Markdown look further.
_COSTS = {"[": 30, "*": 10, "_": 5, "`": 5, "<": 5, "|": 5, "\n": 12, "\r": 12, "$": 3}
_DASHES = re.compile(r"-{3,}+")
_END = re.compile(r"[\r\n](?: {0,3}+(-{3,}+)|\.\.\.)[ \t]*+(?=[\r\n]|\Z)")
# YAML looks at each list and mapping of one line that is open, as long as it began not too far away.
_YAML, _OPEN, _FARTHEST = 20, 0.5, 1024

AT_ONCE = 12_000
"""What takes some milliseconds, less than it takes to ask somebody else."""
IN_A_THREAD = 2_000_000
"""What takes a second or two; all that takes longer is read where it can be stopped."""
OF_A_STRANGER = 200_000
"""The same for what has come over the network."""


def effort(text: str) -> int:
    """Return how many characters of prose would take as long."""
    marks = sum(cost * text.count(mark) for mark, cost in _COSTS.items())
    return len(text) + marks + yaml_effort(_frontmatter(text))


def yaml_effort(text: str) -> int:
    """Return how many characters of prose would take as long as a text of YAML."""
    opened = min(text.count("[") + text.count("{"), _FARTHEST)
    return int(len(text) * (_YAML + _OPEN * opened))


def _frontmatter(text: str) -> str:
    """Return what may be taken for the frontmatter of a text; nothing where there is none."""
    start = len(BOM) if text.startswith(BOM) else 0
    opening = _DASHES.match(text, start)
    if not opening:
        return ""
    dashes = len(opening[0])
    ends = (it.start() for it in _END.finditer(text, opening.end()) if len(it[1] or opening[0]) >= dashes)
    return text[opening.end() : next(ends, opening.end())]
