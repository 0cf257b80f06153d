"""The head and the tail of what is too long to be kept or shown, and what lies between."""

from __future__ import annotations

import re

from msgspec import Struct

OUTPUT_LIMIT = 1024 * 1024
"""How much output a buffer holds by default, in bytes."""
_SLACK = 256 * 1024
_OF_OUTPUT = "of output left out ...]"
_OMISSION = re.compile(
    rf"\n\[\.\.\. (?P<count>\d{{1,18}}) (?P<unit>bytes|characters) {re.escape(_OF_OUTPUT)}\n"
)


class HeadTailBuffer:
    """Collect bytes; beyond the limit, drop those in the middle."""

    def __init__(self, limit: int = OUTPUT_LIMIT) -> None:
        self.limit = limit
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0
        self.received = 0
        """The number of bytes ever added."""

    def __len__(self) -> int:
        return len(self._head) + len(self._tail)

    @property
    def is_mid_line(self) -> bool:
        """Whether the last line is not terminated yet."""
        data = self._tail or self._head
        return bool(data) and not data.endswith(b"\n")

    @property
    def is_full(self) -> bool:
        """Whether adding more drops something."""
        return len(self) >= 2 * self._half

    def add(self, data: bytes) -> None:
        """Append bytes, dropping some from the middle when the limit is exceeded."""
        self.received += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        # Trimming moves the whole tail, so it is not done for every small piece.
        if len(self._tail) > self._half + _SLACK:
            self._trim()

    def copy(self) -> HeadTailBuffer:
        """Return a buffer with the same content."""
        other = HeadTailBuffer(self.limit)
        other._head, other._tail = self._head[:], self._tail[:]
        other._dropped, other.received = self._dropped, self.received
        return other

    def peek(self) -> tuple[bytes, bytes]:
        """Return the head and the tail."""
        return bytes(self._head), bytes(self._tail)

    def take(self) -> tuple[bytes, int, bytes]:
        """Empty the buffer; return the head, the number of bytes dropped after it, and the tail."""
        self._trim()
        taken = bytes(self._head), self._dropped, bytes(self._tail)
        self._head.clear()
        self._tail.clear()
        self._dropped = 0
        return taken

    def take_text(self) -> str:
        """Empty the buffer; return its content as text, with a note in place of what was dropped."""
        head, dropped, tail = self.take()
        if not dropped:
            return (head + tail).decode(errors="replace")
        return f"{head.decode(errors='replace')}\n{omission(dropped)}\n{tail.decode(errors='replace')}"

    def _trim(self) -> None:
        excess = len(self._tail) - self._half
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess


def limited(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """Return a text, or its head and tail with a note between them when it is longer than the limit.

    The note also counts what notes of earlier cuts in its place stand for.
    """
    if len(text) <= limit:
        return text
    first, last = limit // 2, len(text) - limit // 2
    notes = [it for it in _omissions(text) if it.start() <= last and it.end() >= first]
    if notes:
        first, last = min(first, notes[0].start()), max(last, notes[-1].end())
    dropped = _OMISSION.sub("", text[first:last]) if notes else text[first:last]
    unit = "bytes" if any(it["unit"] == "bytes" for it in notes) else "characters"
    size = len(dropped.encode(errors="surrogatepass")) if unit == "bytes" else len(dropped)
    count = size + sum(int(it["count"]) for it in notes)
    return f"{text[:first]}\n{omission(count, unit)}\n{text[last:]}"


def omission(count: int, unit: str = "bytes") -> str:
    """Return the line that stands for output that was dropped."""
    return f"[... {count} {unit} {_OF_OUTPUT}"


def dropped_from(text: str) -> str:
    """Return how much the notes in a text stand for, as `1,234 bytes`; nothing if there are none."""
    counts: dict[str, int] = {}
    for note in _omissions(text):
        counts[note["unit"]] = counts.get(note["unit"], 0) + int(note["count"])
    return " and ".join(f"{count:,} {unit}" for unit, count in counts.items())


def _omissions(text: str) -> list[re.Match[str]]:
    """Return the notes in a text, with the line ends around them."""
    return list(_OMISSION.finditer(text)) if _OF_OUTPUT in text else []


class Gap(Struct, frozen=True, kw_only=True):
    """What is left out of a text, from `first` to `last`, and the numbers of its lines if these are whole."""

    first: int
    last: int
    lines: tuple[int, int] | None


def middle_of(text: str, most: int) -> Gap:
    """Return what to leave out so that at most `most` characters remain, half of them on either side.

    Cuts are made between lines, except where these are so long that too little would remain.
    """
    half = most // 2
    first = text.rfind("\n", half // 2, half) + 1 or half
    # The line end before a position makes it the beginning of a line.
    last = text.find("\n", len(text) - half - 1, len(text) - half // 2) + 1 or len(text) - half
    is_whole = text[first - 1] == text[last - 1] == "\n"
    lines = (text.count("\n", 0, first) + 1, text.count("\n", 0, last)) if is_whole else None
    return Gap(first=first, last=last, lines=lines)


def line_pieces(text: str, most: int) -> list[tuple[int, int]]:
    """Cut a text into pieces of at most `most` characters, between lines where they are short enough."""
    pieces = []
    start = 0
    while len(text) - start > most:
        end = text.rfind("\n", start + most // 2, start + most) + 1 or start + most
        pieces.append((start, end))
        start = end
    return [*pieces, (start, len(text))]
