"""Cut typed lines that are too long for a terminal that edits lines into pieces that it passes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stringd_bash.terminal_modes import Modes

LONGEST_LINE = 4095
"""The most bytes of a line, its end included, that the kernel passes on; it drops what follows."""
_PIECE = 4000


class LinePieces:
    """Puts an end-of-file character into long lines: programs then read on, without a line end there."""

    def __init__(self) -> None:
        self._pending = 0
        """How many bytes of an unfinished line have been typed."""

    def longest_cut(self, data: bytes, modes: Modes) -> int:
        """Return the length of the longest line if it would be cut; 0 if it need not be."""
        if not modes.is_canonical or modes.end_of_file or len(data) + self._pending < LONGEST_LINE:
            return 0
        first, *others = self._lines(data, modes)
        longest = max(self._pending + len(first), *map(len, others), 0)
        return longest if longest >= LONGEST_LINE else 0

    def cut(self, data: bytes, modes: Modes) -> bytes:
        """Return bytes for the terminal to be typed after those before."""
        if not modes.is_canonical:
            self._pending = 0
            return data
        return b"\n".join(self._after_ends(self._lines(data, modes), modes))

    def _after_ends(self, lines: Sequence[bytes], modes: Modes) -> Iterator[bytes]:
        """Yield lines that are cut where they are too long; each but the first begins anew."""
        for number, line in enumerate(lines):
            self._pending = 0 if number else self._pending
            end_of_file = modes.end_of_file
            yield end_of_file.join(self._pieces(line, end_of_file)) if end_of_file else line

    def _pieces(self, line: bytes, end_of_file: bytes) -> Iterator[bytes]:
        for number, typed in enumerate(line.split(end_of_file)):
            self._pending = 0 if number else self._pending
            rest = typed
            while self._pending + len(rest) > _PIECE:
                # An end-of-file character that follows nothing would mean the end of the file.
                room = max(_PIECE - self._pending, 1)
                yield rest[:room]
                rest, self._pending = rest[room:], 0
            self._pending += len(rest)
            yield rest

    def _lines(self, data: bytes, modes: Modes) -> list[bytes]:
        return (data.replace(b"\r", b"\n") if modes.maps_returns else data).split(b"\n")
