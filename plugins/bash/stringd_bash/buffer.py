"""Output in bounded memory: its head and its tail, and how much lies between."""

from __future__ import annotations

OUTPUT_LIMIT = 1024 * 1024
_SLACK = 256 * 1024


class Buffer:
    """What a terminal has printed and nobody has been shown yet."""

    def __init__(self, limit: int = OUTPUT_LIMIT) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0
        self.received = 0
        """How many bytes have ever been added."""

    def __len__(self) -> int:
        return len(self._head) + len(self._tail)

    @property
    def is_mid_line(self) -> bool:
        """Whether the last line has no end yet."""
        text = self._tail or self._head
        return bool(text) and not text.endswith(b"\n")

    @property
    def is_full(self) -> bool:
        """Whether what is added now costs something that was added before."""
        return len(self) >= 2 * self._half

    def add(self, data: bytes) -> None:
        """Keep some bytes, at the cost of those in the middle."""
        self.received += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > self._half + _SLACK:
            self._trim()

    def take(self) -> tuple[bytes, int, bytes]:
        """Return the head, how many bytes were dropped behind it, and the tail; the buffer is empty then."""
        self._trim()
        taken = bytes(self._head), self._dropped, bytes(self._tail)
        self._head.clear()
        self._tail.clear()
        self._dropped = 0
        return taken

    def _trim(self) -> None:
        excess = len(self._tail) - self._half
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess
