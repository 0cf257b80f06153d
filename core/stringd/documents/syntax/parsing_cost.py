"""Estimate of the cost of parsing a text, from the characters it is made of."""

from __future__ import annotations

import re

from stringd.documents.syntax.lines import BOM

# Cost in characters of prose, a megabyte of which takes about a second to parse.
_COSTS = {"[": 30, "*": 10, "_": 5, "`": 5, "<": 5, "|": 5, "\n": 12, "\r": 12, "$": 3}
_DASHES = re.compile(r"-{3,}+")
_END = re.compile(r"[\r\n](?: {0,3}+(-{3,}+)|\.\.\.)[ \t]*+(?=[\r\n]|\Z)")
# For each token, PyYAML walks the lists and mappings that are open, unless they began too far back.
_YAML, _OPEN, _FARTHEST = 20, 0.5, 1024

AT_ONCE = 12_000
"""The most that is parsed on the event loop: a few milliseconds, less than handing it to a thread."""
IN_A_THREAD = 2_000_000
"""The most that is parsed in a thread: a second or two; beyond it a worker process, which can be killed."""
OF_A_STRANGER = 200_000
"""The same limit for texts from the network."""


def parsing_effort(text: str) -> int:
    """Return the number of characters of prose that take as long to parse."""
    marks = sum(cost * text.count(mark) for mark, cost in _COSTS.items())
    return len(text) + marks + yaml_effort(_frontmatter(text))


def yaml_effort(text: str) -> int:
    """Return the number of characters of prose that take as long to parse as this YAML."""
    opened = min(text.count("[") + text.count("{"), _FARTHEST)
    return int(len(text) * (_YAML + _OPEN * opened))


def _frontmatter(text: str) -> str:
    """Return what may be read as the frontmatter of a text; empty if there is none."""
    start = len(BOM) if text.startswith(BOM) else 0
    opening = _DASHES.match(text, start)
    if not opening:
        return ""
    dashes = len(opening[0])
    ends = (it.start() for it in _END.finditer(text, opening.end()) if len(it[1] or opening[0]) >= dashes)
    return text[opening.end() : next(ends, opening.end())]
