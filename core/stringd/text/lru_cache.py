"""A thread-safe LRU cache that is limited by the total size of its entries."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

# In characters of text; the values take several times as much memory.
MOST_CHARACTERS = 4 * 1024 * 1024
# The cost of an entry for an empty text, in characters.
_OVERHEAD = 2000


# Not that of cachetools, which has no lock, measures values without being told their size, and refuses large
# ones: here, the latest entry is kept whatever its size.
class LruCache(Generic[K, T]):
    """The most recently used entries, up to a total size."""

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._entries: OrderedDict[K, tuple[T, int]] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def get(self, key: K) -> T | None:
        """Return the value of a key, or None."""
        with self._lock:
            known = self._entries.get(key)
            if known is None:
                return None
            self._entries.move_to_end(key)
            return known[0]

    def put(self, key: K, value: T, size: int) -> None:
        """Add a value of a size in characters, and evict the least recently used entries above the limit."""
        with self._lock:
            cost = size + _OVERHEAD
            _, replaced = self._entries.pop(key, (value, 0))
            self._entries[key] = value, cost
            self._size += cost - replaced
            while self._size > self._most and len(self._entries) > 1:
                _, (_, dropped) = self._entries.popitem(last=False)
                self._size -= dropped

    def remove(self, key: K) -> None:
        """Remove a key if it is known."""
        with self._lock:
            _, dropped = self._entries.pop(key, (None, 0))
            self._size -= dropped
