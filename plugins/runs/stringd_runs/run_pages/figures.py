"""Numbers and times of runs as a person reads them."""

from __future__ import annotations

from datetime import datetime

_CENT = 0.01


def money(dollars: float) -> str:
    """Return a sum with as many digits as its size needs."""
    if dollars and dollars < _CENT:
        return f"${dollars:.4f}" if dollars >= _CENT / 100 else "< $0.0001"
    return f"${dollars:,.2f}"


def compact(number: int) -> str:
    """Return a number with at most five characters up to a billion."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= 10 * size:
            scaled = number / size
            return f"{scaled:.1f}{unit}" if scaled < 100 else f"{scaled:,.0f}{unit}"
    return f"{number:,}"


def seconds_of(moment: str | None) -> float | None:
    """Return a time of a message, which is in ISO 8601, in seconds since 1970; None if it is none."""
    try:
        return datetime.fromisoformat(moment).timestamp() if moment else None
    except ValueError:
        return None


def seconds_between(first: str | None, last: str | None) -> float | None:
    """Return how long it is from one time to another; None if one of them is not known."""
    begun, ended = seconds_of(first), seconds_of(last)
    return None if begun is None or ended is None else max(0.0, ended - begun)
