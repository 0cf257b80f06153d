"""The beginning and the end of a text that may grow without limit."""

from __future__ import annotations

_HEAD = 16_000
_TAIL = 8_000


class Excerpt:
    """Collects a text in pieces, and keeps its beginning and its end."""

    __slots__ = ("_head_limit", "_tail_limit", "head", "length", "tail")

    def __init__(self, text: str = "", *, head: int = _HEAD, tail: int = _TAIL) -> None:
        self._head_limit = head
        self._tail_limit = tail
        self.head = ""
        self.tail = ""
        self.length = 0
        """How long the whole text is, in characters."""
        self.add(text)

    def __len__(self) -> int:
        return len(self.head) + len(self.tail)

    def __bool__(self) -> bool:
        return self.length > 0

    @property
    def omitted(self) -> int:
        """How many characters are left out between the beginning and the end."""
        return self.length - len(self)

    @property
    def text(self) -> str:
        """What is kept, with a note in place of what is not."""
        return f"{self.head}{self.gap}{self.tail}"

    @property
    def gap(self) -> str:
        """The note in place of what is left out; empty if nothing is."""
        return f"\n\n[… {self.omitted:,} characters are left out here]\n\n" if self.omitted else ""

    def add(self, text: str) -> None:
        """Append a piece."""
        self.length += len(text)
        room = self._head_limit - len(self.head)
        if room > 0:
            self.head += text[:room]
            text = text[room:]
        if text:
            self.tail += text
            # Trimming copies, so it is not done for every small piece.
            if len(self.tail) > 2 * self._tail_limit:
                self.tail = self.tail[-self._tail_limit :]

    def latest(self, most: int) -> str:
        """Return the end of the text; where it begins rarely moves while the text grows."""
        kept = self.head + self.tail if not self.omitted else self.tail or self.head
        if len(kept) <= most:
            return kept
        step = most // 2
        start = (self.length - most) // step * step + step
        return kept[-(self.length - start) :]
