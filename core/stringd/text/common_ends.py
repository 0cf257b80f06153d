"""Common prefix and suffix of two texts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

_STRIDE = 1 << 16


def common_ends(before: str, after: str) -> tuple[int, int]:
    """Return the length of the common prefix, and of the common suffix of the rest."""
    shortest = min(len(before), len(after))
    old, new = len(before), len(after)
    head = _agreed(shortest, lambda start, end: before[start:end] == after[start:end])
    tail = _agreed(
        shortest - head,
        lambda start, end: before[old - end : old - start] == after[new - end : new - start],
    )
    return head, tail


def _agreed(most: int, agree: Callable[[int, int], bool]) -> int:
    """Return the length of the common prefix, comparing long slices at a time."""
    start = 0
    while start < most and agree(start, min(start + _STRIDE, most)):
        start += _STRIDE
    if start >= most:
        return most
    stretch = range(start + 1, min(start + _STRIDE, most) + 1)
    return start + bisect_left(stretch, True, key=lambda end: not agree(start, end))
