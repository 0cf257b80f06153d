"""How many events of one kind a plugin may publish in a second."""

from __future__ import annotations

MOST_IN_A_SECOND = 1000
_WINDOW_SECONDS = 1.0


class FloodLimit:
    """Admits so many events in each second, and counts the others."""

    def __init__(self) -> None:
        self._begun = 0.0
        self._now = 0.0
        self._admitted = 0
        self.dropped = 0

    def admits(self, now: float) -> bool:
        """Tell whether an event may be published now; one that may not is counted."""
        self._now = now
        if now - self._begun >= _WINDOW_SECONDS:
            self._begun, self._admitted = now, 0
        if self._admitted < MOST_IN_A_SECOND:
            self._admitted += 1
            return True
        self.dropped += 1
        return False

    def seconds_left(self) -> float:
        """Return how long the current second goes on."""
        return self._begun + _WINDOW_SECONDS - self._now

    def take_dropped(self) -> int:
        """Return how many events were dropped since the last time."""
        count, self.dropped = self.dropped, 0
        return count
