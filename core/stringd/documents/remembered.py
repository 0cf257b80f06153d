"""What was made of texts lately, so that it need not be made again."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")

# Characters of text; what is made of one takes several times its size in memory.
MOST_CHARACTERS = 4 * 1024 * 1024


class Remembered(Generic[T]):
    """Something for each of the texts that were used last, as many as their size allows; for any thread.

    The text itself is the key: no clock can make an old reading pass for a new one.
    """

    def __init__(self) -> None:
        self._by_text: OrderedDict[str, T] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def get(self, text: str) -> T | None:
        """Return what is known of a text."""
        with self._lock:
            known = self._by_text.get(text)
            if known is not None:
                self._by_text.move_to_end(text)
            return known

    def keep(self, text: str, made: T) -> None:
        """Keep what was made of a text, and forget what was used longest ago if it is too much."""
        with self._lock:
            if text not in self._by_text:
                self._size += len(text)
            self._by_text[text] = made
            while self._size > MOST_CHARACTERS and len(self._by_text) > 1:
                dropped, _ = self._by_text.popitem(last=False)
                self._size -= len(dropped)
