"""Marks: up to where the events that several nodes have recorded together were published here."""

from __future__ import annotations

from bisect import bisect_right

_MOST = 20_000


class Marks:
    """Remembers the mark at each event; those of events that are long gone are forgotten."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._marks: list[int] = []

    def note(self, seq: int, mark: int) -> None:
        """Note the mark that holds from an event on."""
        if self._numbers and self._numbers[-1] == seq:
            self._marks[-1] = mark
            return
        self._numbers.append(seq)
        self._marks.append(mark)
        if len(self._numbers) > _MOST:
            del self._numbers[: _MOST // 2]
            del self._marks[: _MOST // 2]

    def at(self, seq: int) -> int:
        """Return the mark at an event; 0 if it is not known."""
        place = bisect_right(self._numbers, seq)
        return self._marks[place - 1] if place else 0
