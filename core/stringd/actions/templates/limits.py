"""What one run of a template may use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

LOOPS = 200_000
NAMES = 5_000
OUTPUT = 10 * 1024 * 1024
Item = TypeVar("Item")


class TooMuch(Exception):
    """A template would go on for too long."""


class Budget:
    """Counts the rounds of all loops and the characters of all output."""

    def __init__(self) -> None:
        self._rounds = 0
        self._size = 0

    def counted(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items of a loop, as long as there may be more rounds."""
        for item in items:
            self._rounds += 1
            if self._rounds > LOOPS:
                raise TooMuch(f"its loops take more than {LOOPS:,} rounds")
            yield item

    def joined(self, chunks: Iterable[str]) -> str:
        """Return the output, if it is not too large."""
        return "".join(map(self.spent, chunks))

    def spent(self, text: str) -> str:
        """Return the text, as long as all of them are not too large."""
        self._size += len(text)
        if self._size > OUTPUT:
            raise TooMuch(f"it makes more than {OUTPUT // 1024**2} MiB of text")
        return text
