"""Positions in a text that an edit shifts: in a time that depends on the edit, not on their number."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import overload


class ShiftedPlaces(Sequence[int]):
    """Sorted positions; those from a certain number on are stored without the shift by earlier edits.

    An edit near the last one changes this number a little, and the shift of all positions from there on.
    """

    __slots__ = ("_places", "_shift", "_split")

    def __init__(self, places: list[int], split: int = 0, shift: int = 0) -> None:
        self._places = places
        self._split = split
        self._shift = shift

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, number: int) -> int: ...

    @overload
    def __getitem__(self, number: slice) -> list[int]: ...

    def __getitem__(self, number: int | slice) -> int | list[int]:
        if isinstance(number, slice):
            first, last, _ = number.indices(len(self))
            unshifted = self._places[first : min(self._split, last)]
            return unshifted + self._shifted(self._places[max(self._split, first) : last], self._shift)
        place = self._places[number]
        return place + self._shift if number >= self._split else place

    def __contains__(self, place: object) -> bool:
        return isinstance(place, int) and place in self[(number := self.find(place)) : number + 1]

    def find(self, place: int) -> int:
        """Return how many positions are before a place."""
        number = bisect_left(self._places, place, 0, self._split)
        if number < self._split:
            return number
        return bisect_left(self._places, place - self._shift, self._split)

    def between(self, first: int, last: int) -> slice:
        """Return the slice of positions in the range from `first` to `last`."""
        return slice(self.find(first), self.find(last))

    def replaced(self, part: slice, new: Sequence[int], shift: int) -> ShiftedPlaces:
        """Replace a part, and shift what is behind it."""
        head, tail = self[: part.start], self._places[part.stop :]
        unshifted = max(self._split - part.stop, 0)
        tail[:unshifted] = self._shifted(tail[:unshifted], -self._shift)
        head += new
        return ShiftedPlaces(head + tail, len(head), self._shift + shift)

    @staticmethod
    def _shifted(places: list[int], shift: int) -> list[int]:
        return [it + shift for it in places] if shift else places
