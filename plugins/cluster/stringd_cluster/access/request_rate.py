"""An exact limit of a rate: never more than the burst and the rate allow, over any span of time."""

from __future__ import annotations

import math

LEAST = 0.001
"""The least rate, and the precision of rates."""
_NANOSECONDS = 1_000_000_000


class RequestRate:
    """A bucket of tokens, kept as the time at which it will be full again.

    Times are whole numbers of a unit in which the interval between two tokens is whole, too.
    """

    __slots__ = ("_full_at", "_interval", "_tolerance", "_unit")

    def __init__(self, per_second: float, burst: float) -> None:
        rate = max(1, round(per_second / LEAST))
        self._unit = _NANOSECONDS * rate
        self._interval = round(_NANOSECONDS / LEAST)
        self._tolerance = (max(1, math.floor(burst)) - 1) * self._interval
        self._full_at = 0

    def take(self, now: float) -> float:
        """Take one token and return 0, or return after how many seconds there will be one."""
        moment = round(now * _NANOSECONDS) * (self._unit // _NANOSECONDS)
        ahead = max(0, self._full_at - moment)
        if ahead > self._tolerance:
            return (ahead - self._tolerance) / self._unit
        self._full_at = moment + ahead + self._interval
        return 0.0

    def give_back(self) -> None:
        """Return one token that was taken."""
        self._full_at -= self._interval
