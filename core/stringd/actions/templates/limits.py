"""The limits of one run of a template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

LOOPS = 200_000
NAMES = 5_000
OUTPUT = 10 * 1024 * 1024
Item = TypeVar("Item")


class LimitExceeded(Exception):
    """A template exceeds a limit."""


class LimitCounter:
    """Counts loop iterations and output characters."""

    def __init__(self) -> None:
        self._rounds = 0
        self._size = 0

    def counted(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items of a loop; raise `LimitExceeded` above the limit of iterations."""
        for item in items:
            self._rounds += 1
            if self._rounds > LOOPS:
                raise LimitExceeded(f"its loops take more than {LOOPS:,} rounds")
            yield item

    def join(self, chunks: Iterable[str]) -> str:
        """Return the chunks as one text, or raise `LimitExceeded`."""
        return "".join(map(self.count_text, chunks))

    def count_text(self, text: str) -> str:
        """Count a text's characters and return it; raise `LimitExceeded` above the limit."""
        self._size += len(text)
        if self._size > OUTPUT:
            raise LimitExceeded(f"it makes more than {OUTPUT // 1024**2} MiB of text")
        return text
