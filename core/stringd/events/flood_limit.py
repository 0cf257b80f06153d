"""The limit on how many events of a kind are published in a second."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Generic, TypeVar

MOST_IN_A_SECOND = 1000
_WINDOW_SECONDS = 1.0

Key = TypeVar("Key", bound=Hashable)


class FloodLimit(Generic[Key]):
    """Admits a number of events per key and second, and counts the others."""

    def __init__(self) -> None:
        self._begun = 0.0
        self._now = 0.0
        self._admitted: Counter[Key] = Counter()
        self._dropped: Counter[Key] = Counter()

    @property
    def has_dropped(self) -> bool:
        """Whether events were dropped since the last `take_dropped`."""
        return bool(self._dropped)

    def admits(self, key: Key, now: float) -> bool:
        """Return whether an event may be published now; otherwise count it as dropped."""
        self._now = now
        if now - self._begun >= _WINDOW_SECONDS:
            self._begun = now
            self._admitted.clear()
        if self._admitted[key] < MOST_IN_A_SECOND:
            self._admitted[key] += 1
            return True
        self._dropped[key] += 1
        return False

    def seconds_left(self) -> float:
        """Return the rest of the current second."""
        return self._begun + _WINDOW_SECONDS - self._now

    def take_dropped(self) -> Mapping[Key, int]:
        """Return how many events of each key were dropped since the last call."""
        dropped, self._dropped = self._dropped, Counter()
        return dropped
