"""What was made lately, so that it need not be made again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

# Characters of text; what is made of one takes several times its size in memory.
MOST_CHARACTERS = 4 * 1024 * 1024
# What even an empty text costs, in characters.
_OVERHEAD = 2000


class Remembered(Generic[K, T]):
    """What was made of texts, as much as their size allows, the latest; for any thread."""

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._made: OrderedDict[K, tuple[T, int]] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def get(self, key: K) -> T | None:
        """Return what was kept under a key."""
        with self._lock:
            known = self._made.get(key)
            if known is None:
                return None
            self._made.move_to_end(key)
            return known[0]

    def keep(self, key: K, made: T, size: int) -> None:
        """Keep what was made of so much text, and forget what was used longest ago if it is too much."""
        with self._lock:
            cost = size + _OVERHEAD
            _, replaced = self._made.pop(key, (made, 0))
            self._made[key] = made, cost
            self._size += cost - replaced
            while self._size > self._most and len(self._made) > 1:
                _, (_, dropped) = self._made.popitem(last=False)
                self._size -= dropped
