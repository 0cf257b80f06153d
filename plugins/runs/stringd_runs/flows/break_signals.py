"""The words with which an observer ends a cycle."""

from __future__ import annotations

from collections.abc import Sequence

DEFAULT_SIGNALS = ("end cycle", "stop", "done")
BREAK_MATCHES = ("substring", "first-line", "any-line", "exact")
"""Where a signal must be: anywhere, as the first line, as any line, or as the whole answer."""


def holds_signal(answer: str, signals: Sequence[str], match: str) -> bool:
    """Whether an answer holds one of the signals, in upper or lower case.

    Lines are compared without the blanks around them, and empty lines at the beginning do not count.
    """
    wanted = {_folded(it) for it in signals}
    if match == "substring":
        folded = answer.casefold()
        return any(it in folded for it in wanted)
    return not wanted.isdisjoint(_candidates(answer, match))


def _candidates(answer: str, match: str) -> Sequence[str]:
    """Return what must be equal to a signal."""
    if match == "exact":
        return [_folded(answer)]
    lines = [_folded(it) for it in answer.strip().splitlines()]
    return lines[:1] if match == "first-line" else lines


def _folded(text: str) -> str:
    return text.strip().casefold()
