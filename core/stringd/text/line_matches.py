"""Find the lines that contain a text, in any case, in a text that comes in pieces."""

from __future__ import annotations

_AROUND = 120


class LineMatches:
    """Counts the lines that contain a text, and keeps the first of them, up to a number of characters."""

    def __init__(self, wanted: str, most: int) -> None:
        self.count = 0
        """The number of lines that contain the text."""
        self.shown: list[str] = []
        """Those that fit, with their numbers; of long lines, what stands around the text."""
        self._wanted = _lower(wanted)
        self._room = most
        self._number = 1
        self._carried = ""
        self._has_matched = False

    def add(self, piece: str) -> None:
        """Search the next piece; a text across the border of two pieces is found, too."""
        text = self._carried + piece
        lower = _lower(text)
        position = 0
        while (place := lower.find(self._wanted, position)) >= 0:
            first = text.rfind("\n", position, place) + 1 or position
            self._pass(text.count("\n", position, first))
            end = text.find("\n", place)
            position = len(text) if end < 0 else end
            if not self._has_matched:
                self._match(text[first:position], place - first)
                self._has_matched = True
        self._pass(text.count("\n", position))
        margin = len(self._wanted) + _AROUND
        self._carried = text[max(text.rfind("\n") + 1, len(text) - margin) :]

    def _pass(self, line_ends: int) -> None:
        self._number += line_ends
        self._has_matched = self._has_matched and not line_ends

    def _match(self, line: str, place: int) -> None:
        self.count += 1
        if self._room >= 0:
            row = f"{self._number}: {_around(line, place, len(self._wanted))}"
            self._room -= len(row) + 1
            self.shown += [row] if self._room >= 0 else []


def _lower(text: str) -> str:
    """Return a text in lower case, with every character at its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(it if len(it.lower()) > 1 else it.lower() for it in text)


def _around(line: str, place: int, length: int) -> str:
    """Return a line, or the part of a long one around a position."""
    first, last = max(place - _AROUND, 0), place + length + _AROUND
    return f"{'…' * (first > 0)}{line[first:last]}{'…' * (last < len(line))}"
