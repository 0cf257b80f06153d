"""The lines that stand at the top and at the bottom of many pages, such as page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from stringd_documents.pdf.page_lines import Line

_OUTERMOST = 2
_FEWEST, _SHARE = 3, 0.2
_LARGER = 1.05
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return the lines of pages without the small ones at their edges that repeat, but for numbers."""
    sizes = [it.size for lines in pages for it in lines]
    largest = median(sizes) * _LARGER if sizes else 0.0
    outer = [_outer(lines, largest) for lines in pages]
    counts = Counter(key for keys in outer for key in keys)
    least = max(_FEWEST, _SHARE * len(pages))
    return [
        _without(lines, {key for key in keys if counts[key] >= least}, largest)
        for lines, keys in zip(pages, outer, strict=True)
    ]


def _outer(lines: Sequence[Line], largest: float) -> set[tuple[str, int]]:
    """Return what the highest and the lowest lines of a page have in common with those of others."""
    ordered = sorted(lines, key=lambda it: it.top)
    edges = [*ordered[:_OUTERMOST], *ordered[-_OUTERMOST:]]
    return {_key(it) for it in edges if it.size <= largest}


def _without(lines: Sequence[Line], keys: set[tuple[str, int]], largest: float) -> list[Line]:
    """Return the lines without those of some keys, unless nothing else is on the page."""
    kept = [it for it in lines if it.size > largest or _key(it) not in keys]
    return kept or list(lines)


def _key(line: Line) -> tuple[str, int]:
    """Return what repeated lines have in common: the text but for numbers, and about the height."""
    return _DIGITS.sub("#", line.text), round(line.bottom / 10)
